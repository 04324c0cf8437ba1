// Runs a test program built for WASI as if it were one of this machine: its arguments, its
// environment, the current directory (for golden files) and its exit status.
//
//     node tests/wasi.mjs PROGRAM.wasm [ARGUMENT ...]
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

process.removeAllListeners('warning'); // node calls its WASI experimental, on every run
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
