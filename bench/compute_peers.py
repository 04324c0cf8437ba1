#!/usr/bin/env python3
"""Compute beside PyTorch, ggml and NumPy's OpenBLAS: products of matrices, functions of rows, AdamW, quantization. One
thread, one process, in turn.

The figure of a row is the peer's time over ours: above 1, ours is faster. The least of many runs; calls through ctypes
and through torch's dispatcher count, on arrays large enough that they hardly matter.
"""
import ctypes
import os
import sys
import time
import warnings

F32, BF16, E4M3FN = 2, 4, 5  # mpx_dtype
ACTS = {"relu": 1, "exp": 2, "tanh": 3, "sigmoid": 4, "silu": 5, "gelu": 6, "gelu_erf": 7}


def least(contenders, seconds):
    """The least time of each, in nanoseconds; they take turns until all turns took so long."""
    best = [float("inf")] * len(contenders)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for i, run in enumerate(contenders):
            start = time.perf_counter_ns()
            run()
            best[i] = min(best[i], time.perf_counter_ns() - start)
    return best


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def line(name, ours, theirs, note=""):
    print(f"{name:34} {ours / 1e3:12.1f} {theirs / 1e3:12.1f} {theirs / ours:7.2f}  {note}", flush=True)


def load_ggml(name, *types):
    """A function of ggml's shim, None where it is not there (bench/peers/setup.sh)."""
    try:
        call = getattr(ctypes.CDLL("build/peers/ggml.so"), name)
    except (OSError, AttributeError):
        print("SKIP ggml: build/peers/ggml.so is not there, or older than this file")
        return None
    call.argtypes = types
    return call


def matvec(lib, torch, seconds):
    """y = W x with a ring of matrices that no cache holds; x in f32, in the matrix's dtype for PyTorch."""
    ggml = load_ggml("peer_matvec", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t,
                     ctypes.c_size_t)
    n, ring = 4096, 256 << 20
    x = torch.randn(n)
    y = torch.zeros(n)
    own = {}
    for name, type_, how, bits, ggml_type in (("f32", F32, None, 32, 0), ("bf16", BF16, None, 16, 30),
                                              ("f8e4m3fn", E4M3FN, None, 8, None),
                                              ("int8, groups of 64", F32, b"int8/64", 8, None),
                                              ("q8_0", F32, b"q8_0", 8, 8), ("q4_0", F32, b"q4_0", 4, 2),
                                              ("q4_k", F32, b"q4_k", 4, 12), ("q5_k", F32, b"q5_k", 5, 13),
                                              ("q6_k", F32, b"q6_k", 6, 14)):
        source = torch.randn(n, n) / 64
        if how:
            size = lib.shim_quantize(None, how, pointer(source), n, n)
            one = torch.randint(1, 96, (size,), dtype=torch.uint8)  # kept, if blocks can only be read
            lib.shim_quantize(pointer(one), how, pointer(source), n, n)
        else:
            one = source.to({32: torch.float32, 16: torch.bfloat16, 8: torch.float8_e4m3fn}[bits])
        many = [one.clone() for _ in range(max(2, ring // (one.numel() * one.element_size())))]
        turn = [0]

        def ours():
            turn[0] += 1
            lib.shim_matvec(pointer(y), F32, pointer(many[turn[0] % len(many)]), type_, how, pointer(x), F32, n, n)

        contenders = {"ours": ours}
        if bits >= 16:
            wide = x.to(many[0].dtype)

            def theirs():
                turn[0] += 1
                torch.mv(many[turn[0] % len(many)], wide)
            contenders["torch"] = theirs
        if ggml and ggml_type is not None:
            z = torch.zeros(n)

            def other():
                turn[0] += 1
                ggml(pointer(z), pointer(many[turn[0] % len(many)]), ggml_type, pointer(x), n, n)
            other()
            turn[0] -= 1
            ours()
            gap = ((y - z).abs().max() / y.abs().max()).item()
            assert gap < 0.02, f"ggml's {name} differs by {gap}"
            contenders["ggml"] = other
        best = dict(zip(contenders, least(list(contenders.values()), seconds)))
        own[name] = best["ours"]
        note = f"over our f32: {own['f32'] / own[name]:.2f}"
        if "ggml" in best:
            note += f"; ggml: {best['ggml'] / 1e3:.1f} us, {best['ggml'] / own[name]:.2f}"
        line(f"matvec 4096^2 {name}", own[name], best.get("torch", float("nan")), note)


def quantized(lib, torch, seconds):
    """512 KiB of f32 to blocks and back: ggml's in the column of the peer, and PyTorch's int8 with a scale for each row.
    The codes are ours, or bytes at random, if blocks can only be read; both must give the same floats."""
    ggml = load_ggml("peer_blocks", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t,
                     ctypes.c_int)
    shape = n, cols = 32, 4096
    source, back, other = torch.randn(shape), torch.zeros(shape), torch.zeros(shape)
    for how, type_ in ((b"q8_0", 8), (b"q4_0", 2), (b"q4_1", 3), (b"q5_0", 6), (b"q5_1", 7), (b"q4_k", 12),
                       (b"q5_k", 13), (b"q6_k", 14), (b"ggml_mxfp4", 39), (b"ggml_nvfp4", 40)) if ggml else ():
        size = lib.shim_quantize(None, how, pointer(source), *shape)
        codes = torch.randint(1, 96, (size,), dtype=torch.uint8)
        written = lib.shim_quantize(pointer(codes), how, pointer(source), *shape) != 0
        trial, name = codes.clone(), how.decode()
        if written:
            line(f"{name} quantize", *least((
                lambda: lib.shim_quantize(pointer(codes), how, pointer(source), *shape),
                lambda: ggml(pointer(trial), pointer(source), type_, *shape, 0)), seconds))
        best = least((lambda: lib.shim_dequantize(pointer(back), how, pointer(codes), *shape),
                      lambda: ggml(pointer(other), pointer(codes), type_, *shape, 1)), seconds)
        assert torch.equal(back, other), f"ggml's {name} differs"
        line(f"{name} dequantize", *best)
    codes = torch.zeros(lib.shim_quantize(None, b"int8/row", pointer(source), *shape), dtype=torch.uint8)
    zeros = torch.zeros(n, dtype=torch.int64)

    def theirs():
        return torch.quantize_per_channel(source, source.abs().amax(1) / 127, zeros, 0, torch.qint8)
    whole = theirs()
    line("int8/row quantize", *least((lambda: lib.shim_quantize(pointer(codes), b"int8/row", pointer(source), *shape),
                                      theirs), seconds))
    line("int8/row dequantize", *least((lambda: lib.shim_dequantize(pointer(back), b"int8/row", pointer(codes), *shape),
                                        whole.dequantize), seconds))


def load_openblas():
    """The BLAS in NumPy's wheel, None where it is another."""
    import numpy
    name = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    if "openblas" in name:
        return numpy
    print(f"SKIP OpenBLAS: this NumPy has {name}")
    return None


def matmul(lib, torch, seconds):
    own, openblas = {}, load_openblas()
    for name, type_, dtype in (("f32", F32, torch.float32), ("bf16", BF16, torch.bfloat16)):
        for n in (256, 1024):
            a, b = torch.randn(n, n).to(dtype), torch.randn(n, n).to(dtype)
            c = torch.zeros(n, n, dtype=dtype)
            contenders = [lambda: lib.shim_matmul(pointer(c), pointer(a), pointer(b), type_, n),
                          lambda: torch.mm(a, b, out=c)]
            if openblas and name == "f32":
                contenders.append(lambda: openblas.matmul(a.numpy(), b.numpy(), out=c.numpy()))
            best = least(contenders, seconds)
            own[name, n] = best[0]
            note = f"over our f32: {own['f32', n] / best[0]:.2f}, {2 * n ** 3 / best[0]:.0f} GFLOP/s"
            if len(best) > 2:
                note += f"; OpenBLAS: {best[2] / 1e3:.1f} us, {best[2] / best[0]:.2f}"
            line(f"matmul {n}^3 {name}", *best[:2], note)


def rows(lib, torch, seconds):
    """64 rows of 1024 in bf16, in L2."""
    functional, count, cols = torch.nn.functional, 64, 1024
    x = torch.randn(count, cols).to(torch.bfloat16)
    y = torch.zeros_like(x)
    at = pointer(y), BF16, pointer(x), BF16
    theirs = {
        "softmax": lambda: torch.softmax(x, -1), "layer_norm": lambda: functional.layer_norm(x, (cols,)),
        "rms_norm": lambda: functional.rms_norm(x, (cols,)), "tanh": lambda: torch.tanh(x),
        "gelu": lambda: functional.gelu(x, approximate="tanh"), "gelu_erf": lambda: functional.gelu(x),
        "silu": lambda: functional.silu(x), "exp": lambda: torch.exp(x), "sigmoid": lambda: torch.sigmoid(x),
    }
    for name, their in theirs.items():
        if name in ACTS:
            def ours(act=ACTS[name]):
                lib.mpx_activate(*at, ctypes.c_size_t(count * cols), act)
        elif name == "softmax":
            def ours():
                lib.mpx_softmax(*at, ctypes.c_size_t(count), ctypes.c_size_t(cols))
        else:
            def ours(call=getattr(lib, "mpx_" + name)):
                call(*at, ctypes.c_size_t(count), ctypes.c_size_t(cols), None)
        line(f"{name} bf16, 64 x 1024", *least((ours, their), seconds))


def adamw(lib, torch, seconds):
    """Unscale, clip by the global norm, step; masters in f32, gradients in bf16 of ours, in f32 of theirs."""
    for n, where in ((1 << 16, "L2"), (1 << 24, "DRAM")):
        p, m, v = torch.randn(n), torch.zeros(n), torch.zeros(n)
        low, grad = torch.zeros(n, dtype=torch.bfloat16), (torch.randn(n) * 1024).to(torch.bfloat16)
        parameter = torch.nn.Parameter(torch.randn(n))
        optimizer = torch.optim.AdamW([parameter], lr=1e-3, weight_decay=0.01, fused=True)
        scaled = grad.to(torch.float32)
        found, inverse = torch.zeros(1), torch.tensor([1 / 1024])

        def theirs():
            parameter.grad = scaled
            torch._amp_foreach_non_finite_check_and_unscale_([parameter.grad], found, inverse)
            torch.nn.utils.clip_grad_norm_([parameter], 1.0)
            optimizer.step()
            low.copy_(parameter.detach())
        line(f"AdamW, unscale, clip, {where}", *least((lambda: lib.shim_adamw(
            pointer(p), pointer(m), pointer(v), pointer(low), pointer(grad), ctypes.c_size_t(n),
            ctypes.c_float(1024), ctypes.c_float(1)), theirs), seconds))


def main():
    lib = ctypes.CDLL(sys.argv[1])
    lib.mpx_isa.restype = ctypes.c_char_p
    # Before NumPy is loaded, which PyTorch does: one thread, and the kernel for our instruction set.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ["OPENBLAS_CORETYPE"] = "SkylakeX" if lib.mpx_isa() == b"avx512" else "Haswell"
    try:
        import torch
    except ImportError:
        sys.exit("SKIP bench-compute-peers: no torch in this Python")
    warnings.filterwarnings("ignore", message="torch.quantize_per_tensor")
    torch.set_num_threads(1)
    torch.manual_seed(1)
    lib.shim_quantize.restype = ctypes.c_size_t
    lib.shim_quantize.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    lib.shim_matvec.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p,
                                ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t)
    lib.shim_dequantize.argtypes = lib.shim_quantize.argtypes
    lib.shim_matmul.argtypes = (ctypes.c_void_p,) * 3 + (ctypes.c_int, ctypes.c_size_t)
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    print(f"mpx.h {lib.mpx_isa().decode()}, torch {torch.__version__}, one thread\n"
          f"{'':34} {'ours, us':>12} {'torch, us':>12} {'ratio':>7}")
    for part in (matvec, matmul, rows, adamw, quantized):
        part(lib, torch, seconds)


if __name__ == "__main__":
    main()
