// A static library of mpx.h's implementation; mpx.h is installed beside it. Zig 0.14 and later; packages/README.md.
const std = @import("std");

pub fn build(b: *std.Build) void {
    const optimize = b.standardOptimizeOption(.{});
    const module = b.createModule(.{
        .target = b.standardTargetOptions(.{}),
        // In debug builds, too: else casts take many times as long.
        .optimize = if (optimize == .Debug) .ReleaseFast else optimize,
        .link_libc = true, // immintrin.h includes stdlib.h
    });
    // They decide what the header declares: define them where you include it, too.
    if (b.option(bool, "compute", "products of matrices, functions of rows and optimizers") orelse false)
        module.addCMacro("MPX_COMPUTE", "1");
    if (b.option(bool, "files", "checkpoint files") orelse false)
        module.addCMacro("MPX_FILES", "1");
    if (b.option(bool, "dispatch", "the library chooses its instruction set while it runs (x86-64)") orelse false)
        module.addCMacro("MPX_DISPATCH", "1");
    module.addIncludePath(b.path("."));
    module.addCSourceFile(.{ .file = b.path("packages/mpx.c"), .flags = &.{"-std=c99"} });
    const library = b.addLibrary(.{ .name = "mpx", .root_module = module });
    library.installHeader(b.path("mpx.h"), "mpx.h");
    b.installArtifact(library);
}
