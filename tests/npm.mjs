// The npm package: node tests/npm.mjs FOLDER, where mpx.mjs and mpx.wasm lie. Numbers are of IEEE 754 and OCP.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';

const folder = path.resolve(process.argv[2]);
const { load, MpxError } = await import(pathToFileURL(path.join(folder, 'mpx.mjs')));
const { version } = JSON.parse(await readFile(path.join(folder, 'package.json')));
const mpx = await load();
const refuses = (call, message, offset, length) => assert.throws(call, (e) => {
  assert(e instanceof MpxError && e.status < 0, String(e));
  assert.match(e.message, message);
  assert.deepEqual([e.offset, e.length], [offset, length]);
  return true;
});

assert.equal(mpx.version, version);
assert.equal(mpx.isa, 'wasm');
const words = (bytes) => Array.from(new Uint16Array(bytes.buffer));
assert.deepEqual(words(mpx.encode([1, 0.1, 70000], 'bf16')), [0x3f80, 0x3dcd, 0x4789]);
assert.deepEqual(words(mpx.encode([1e9, -1e9], 'f16')), [0x7c00, 0xfc00]);
assert.deepEqual(words(mpx.encode([1e9, -1e9], 'f16', { saturate: true })), [0x7bff, 0xfbff]);
assert.deepEqual(words(mpx.encode([0.1], 'bf16', { rounding: 'toward_zero' })), [0x3dcc]);
const thrown = (seed) => words(mpx.encode(new Float32Array(64).fill(0.1), 'bf16', { rounding: 'stochastic', seed }));
assert.deepEqual(new Set(thrown(1)), new Set([0x3dcc, 0x3dcd]));
assert.deepEqual(thrown(1), thrown(1));
assert.notDeepEqual(thrown(1), thrown(2));
assert.deepEqual(mpx.decode(Uint8Array.of(0x7e, 0xfe, 0x08), 'float8_e4m3fn'), Float32Array.of(448, -448, 2 ** -6));
assert.deepEqual(mpx.encode([1, 2, 6], 'f4e2m1fn'), Uint8Array.of(0x42, 0x07)); // element 0 in the low half
assert.deepEqual(mpx.decode(Uint8Array.of(0x42, 0x07), 'f4e2m1fn', 3), Float32Array.of(1, 2, 6));
assert.deepEqual(mpx.cast(Float64Array.of(-3.7, 300), 'f64', 'i8'), Uint8Array.of(253, 127));
const inside = new Uint16Array([9, 0x3f80, 9]).subarray(1, 2); // a view within a buffer
assert.deepEqual(mpx.decode(inside, 'bf16'), Float32Array.of(1));
assert.equal(mpx.encode([], 'bf16').length, 0);
// Numbers of JavaScript are doubles: they are rounded once.
assert.deepEqual(words(mpx.encode([1 + 2 ** -8 + 2 ** -40], 'bf16')), [0x3f81]);
assert.deepEqual(words(mpx.encode(Float64Array.of(1 + 2 ** -8 + 2 ** -40), 'bf16')), [0x3f81]);
assert.deepEqual(words(mpx.encode(Float32Array.of(1 + 2 ** -8 + 2 ** -40), 'bf16')), [0x3f80]);
assert.deepEqual(new Float64Array(mpx.encode([0.1, 1e300], 'f64').buffer), Float64Array.of(0.1, 1e300));
assert.deepEqual(new Int32Array(mpx.encode(Int32Array.of(16777217, -5), 'i32').buffer), Int32Array.of(16777217, -5));
assert.deepEqual(words(mpx.encode(new Set([2]), 'bf16')), [0x4000]);
for (const nothing of [5, null, undefined, {}]) assert.throws(() => mpx.encode(nothing, 'i8'), TypeError);
assert.deepEqual([mpx.info('bool').min, mpx.info('bool').max], [0, 1]);
// Every bfloat16 there and back; more than the memory that the module begins with.
const all = Uint16Array.from({ length: 65536 }, (_, i) => i), many = new Float32Array(3e6).fill(0.1);
const back = words(mpx.encode(mpx.decode(all, 'bf16'), 'bf16'));
assert(back.every((bits, i) => bits === i || (i & 0x7fff) > 0x7f80 && bits === (i | 0x40)));
assert(words(mpx.encode(many, 'bf16')).every((bits) => bits === 0x3dcd));

assert.deepEqual(mpx.info('bf16'), { name: 'bfloat16', shortName: 'bf16', kind: 'float', bits: 16, exponentBits: 8,
  mantissaBits: 7, bias: 127, hasInf: true, hasNan: true, hasNegativeZero: true, max: 2 ** 128 - 2 ** 120,
  min: -(2 ** 128) + 2 ** 120, epsilon: 2 ** -7, smallestNormal: 2 ** -126, smallestSubnormal: 2 ** -133 });
assert.deepEqual([mpx.info('i4').kind, mpx.info('i4').min, mpx.info('u64').max], ['int', -8, 2 ** 64]);
assert.equal(mpx.bytes('f4e2m1fn', 3), 2);

assert.deepEqual(mpx.policy('p=f32,c=bf16,o=f32'),
  { param: 'float32', compute: 'bfloat16', output: 'float32', text: 'p=f32,c=bf16,o=f32' });
assert.deepEqual(mpx.policy('<c=f16>'), { param: null, compute: 'float16', output: null, text: '<c=f16>' });
const map = 'head.* = p=f32,c=f32,o=f32\nlayers.** = p=f32,c=bf16,o=f32';
assert.equal(mpx.policyFor(map, 'layers.0.weight').compute, 'bfloat16');
assert.equal(mpx.policyFor(map, 'head.bias').compute, 'float32');
assert.equal(mpx.policyFor(map, 'tail').compute, null);
assert.deepEqual(mpx.policyFor('default = bf16\nembed.* = q8_0', 'embed.w'),
  { param: null, compute: null, output: null, quantization: 'q8_0' });
assert.deepEqual(mpx.policyFor('default = bf16\nembed.* = q8_0', 'w'),
  { param: 'bfloat16', compute: 'bfloat16', output: 'bfloat16', quantization: null });
assert.equal(mpx.policyFor('default = int8/row', 'w').quantization, 'int8/channel');

const halves = new Float32Array(64).fill(0.5), q8 = mpx.quantize(halves, 'q8_0', 2, 32);
assert.equal(mpx.quantBytes('q8_0', 2, 32), 68); // 32 codes and a float16 a block
assert.deepEqual([q8.length, q8[2], words(mpx.encode([0.5 / 127], 'f16'))[0]], [68, 127, q8[0] | q8[1] << 8]);
assert(mpx.dequantize(q8, 'q8_0', 2, 32).every((x) => Math.abs(x - 0.5) < 0.5 / 1024));
assert.deepEqual(mpx.dequantize(mpx.quantize(halves, 'mxfp4', 2, 32), 'mxfp4', 2, 32), halves);

refuses(() => mpx.info('fp8'), /ambiguous dtype 'fp8'/, 0, 3);
refuses(() => mpx.policy('p=f32,c=bf17'), /unknown dtype 'bf17' at 8.*bfloat16/, 8, 4);
refuses(() => mpx.policyFor('a=bf16\na=', 'a'), /missing policy at 9/, 9, 0);
refuses(() => mpx.policyFor('a*=bf16\n*b=f16', 'ab'), /several patterns/);
refuses(() => mpx.quantize([1, 2], 'q9', 1, 2), /unknown or unusable 'q9'/, 0, 2);
refuses(() => mpx.quantize([1, 2], 'q8_0', 1, 2), /2 columns in the last block where 32 are needed/);
refuses(() => mpx.quantize(new Float32Array(256), 'q4_k', 1, 256), /unsupported/);
refuses(() => mpx.cast(new Uint8Array(8), 'c64', 'f32'), /dtype/);
for (const call of [
  () => mpx.cast(new Uint8Array(3), 'f32', 'bf16', { count: 1 }), () => mpx.quantize([1], 'q8_0', 1, 2),
  () => mpx.cast(new Uint8Array(4), 'f32', 'bf16', { count: 2 ** 32 }), () => mpx.quantBytes('int8', -1, 2),
  () => mpx.encode([1], 'bf16', { rounding: 'up' }), () => mpx.dequantize(new Uint8Array(3), 'q8_0', 1, 32),
  () => mpx.bytes('f16', -3), () => mpx.bytes('f16', 0.5), ...[-1, 0.5, 2 ** 32, NaN].map((seed) => () => thrown(seed)),
])
  assert.throws(call, RangeError);
// A plain array has numbers and no bytes.
for (const data of [[1, 0.1], 4, '1234', null, undefined, {}]) {
  assert.throws(() => mpx.cast(data, 'f32', 'bf16'), TypeError);
  assert.throws(() => mpx.decode(data, 'bf16'), TypeError);
  assert.throws(() => mpx.dequantize(data, 'q8_0', 1, 32), TypeError);
}
assert.deepEqual(words(mpx.cast(new DataView(Float32Array.of(9, 1).buffer, 4), 'f32', 'bf16')), [0x3f80]);
assert.deepEqual(words(mpx.cast(Float32Array.of(1).buffer, 'f32', 'bf16')), [0x3f80]);
assert.deepEqual(words(mpx.cast(new SharedArrayBuffer(4), 'f32', 'bf16')), [0]);
assert.deepEqual(words(mpx.cast(runInNewContext('Float32Array.of(1).buffer'), 'f32', 'bf16')), [0x3f80]);
const again = await load(WebAssembly.compile(await readFile(path.join(folder, 'mpx.wasm'))));
assert.equal(again.version, version);
console.log('npm package: all as expected');
