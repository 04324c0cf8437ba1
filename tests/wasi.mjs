// Runs a test program built for WASI as if it were one of this machine: its arguments, its
// environment, the current directory (for golden files) and its exit status.
//
//     node tests/wasi.mjs PROGRAM.wasm [ARGUMENT ...]
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

// Without these node 20 crashes, now and then, when a long program has ended.
const flags = ['--single-threaded-gc', '--no-turbo-fast-api-calls', '--no-warnings'];
if (!flags.every((flag) => process.execArgv.includes(flag))) {
  const child = spawnSync(process.execPath, [...flags, ...process.argv.slice(1)],
    { stdio: 'inherit' });
  process.exit(child.status ?? 1);
}

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({
  version: 'preview1',
  args: [program, ...rest],
  env: process.env,
  preopens: { '.': '.' },
  returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
