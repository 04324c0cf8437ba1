// Loads the module of examples/wasm.c, converts an array both ways and reads policies.
//
//     node examples/wasm.mjs wasm.wasm
import { readFile } from 'node:fs/promises';

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]));
const mpx = instance.exports;
const room = mpx.room(), size = mpx.room_size();
const memory = (at, length) => new Uint8Array(mpx.memory.buffer, at, length);

// Text in the module's memory ends with a zero byte.
const getText = (at) => {
  const bytes = memory(at);
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
};
const putText = (text) => {
  const { written } = new TextEncoder().encodeInto(text, memory(room, size - 1));
  memory(room, size)[written] = 0;
};
const dtype = (name) => {
  putText(name);
  return mpx.dtype(room);
};

// A Float32Array to the bytes of any dtype, and back: source and result each have half the room.
const f32 = dtype('float32');
const convert = (bytes, to, from, n) => {
  if (n * 8 > size / 2) throw new RangeError(`${n} elements have no room in the module`);
  memory(room, bytes.length).set(bytes);
  return memory(room + size / 2, mpx.cast(room + size / 2, to, room, from, n)).slice();
};
const encode = (x, type) => convert(new Uint8Array(x.buffer), type, f32, x.length);
const decode = (codes, type, n) => new Float32Array(convert(codes, f32, type, n).buffer);

const policy = (text) => {
  putText(text);
  if (mpx.policy(room, size, room + size / 2) !== 0) return getText(room);
  const roles = new Int32Array(mpx.memory.buffer, room + size / 2, 3);
  return Array.from(roles, (role) => getText(mpx.dtype_name(role))).join(' / ');
};

const weights = Float32Array.from({ length: 1000 }, (_, i) => (i * 37 % 1000 - 500) / 192);
console.log(`[${getText(mpx.isa())}] ${weights.length} weights, ${weights.byteLength} bytes`);
for (const name of ['float16', 'bfloat16', 'float8_e4m3fn', 'float4_e2m1fn']) {
  const type = dtype(name), codes = encode(weights, type);
  const off = decode(codes, type, weights.length).map((x, i) => Math.abs(x - weights[i]));
  const first = Array.from(codes.subarray(0, 4), (code) => code.toString(16).padStart(2, '0'));
  console.log(`${name.padEnd(13)} ${codes.length} bytes ${first.join(' ')} ...`,
    `off by ${Math.max(...off).toPrecision(4)}`);
}
for (const text of ['p=f32,c=bf16,o=f16', 'mixed_float16', 'p=f32,c=bf16,q=f16'])
  console.log(`${text}: ${policy(text)}`);
