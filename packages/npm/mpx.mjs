// mpx.h in WebAssembly, for browsers and node: mpx.d.ts documents what is exported.
const KINDS = ['none', 'float', 'bool', 'int', 'uint', 'complex'];
const ROUNDINGS = ['nearest', 'toward_zero', 'stochastic'];
const PAGE = 65536, POLICY_TEXT_SIZE = 96;
const encoder = new TextEncoder(), decoder = new TextDecoder();

export class MpxError extends Error {
  constructor(status, message, offset, length) {
    super(message);
    Object.assign(this, { name: 'MpxError', status, offset, length });
  }
}

async function read(url) {
  if (url.protocol !== 'file:') return (await fetch(url)).arrayBuffer();
  const files = 'node:fs/promises'; // browsers and bundlers never come here
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ files)).readFile(url);
}

export async function load(source = read(new URL('./mpx.wasm', import.meta.url))) {
  const result = await WebAssembly.instantiate(await source);
  return new Mpx((result.instance ?? result).exports);
}

function bytesOf(data) {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const kind = Object.prototype.toString.call(data).slice(8, -1); // buffers of other windows have other classes
  if (kind !== 'ArrayBuffer' && kind !== 'SharedArrayBuffer') throw new TypeError(`no buffer and no view: ${kind}`);
  return new Uint8Array(data);
}

class Mpx {
  #wasm;
  #top = 0; // where the next argument of this call goes; nothing is kept between calls
  #dtypes = new Map();

  constructor(wasm) {
    this.#wasm = wasm;
    const v = wasm.version();
    this.version = `${Math.floor(v / 10000)}.${Math.floor(v / 100) % 100}.${v % 100}`;
    this.isa = this.#textAt(wasm.isa());
  }

  // ---- memory ----
  #begin() { this.#top = Math.ceil(this.#wasm.__heap_base.value / 16) * 16; }

  #take(size) {
    const at = this.#top, memory = this.#wasm.memory;
    this.#top = at + Math.ceil(size / 16) * 16;
    const lacking = Math.ceil((this.#top - memory.buffer.byteLength) / PAGE);
    if (lacking > 0) memory.grow(lacking); // a RangeError beyond 4 GiB
    return at;
  }

  #put(data) {
    const bytes = bytesOf(data), at = this.#take(bytes.length);
    new Uint8Array(this.#wasm.memory.buffer, at).set(bytes);
    return at;
  }

  #putText(text) { // with a NUL; its length without
    const bytes = encoder.encode(`${text}\0`);
    return [this.#put(bytes), bytes.length - 1];
  }

  #textAt(at) {
    const bytes = new Uint8Array(this.#wasm.memory.buffer, at >>> 0);
    return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  #bytesAt(at, size) { return new Uint8Array(this.#wasm.memory.buffer, at, size).slice(); }

  // ---- statuses ----
  #check(status) {
    if (status !== 0) throw new MpxError(status, this.#textAt(this.#wasm.status_string(status)));
  }

  #checkText(status) { // of a function that leaves a sentence, and the place of a word unless that is of no text
    if (status === 0) return;
    const wasm = this.#wasm, place = wasm.error_in_text() ? [wasm.error_offset() >>> 0, wasm.error_length() >>> 0] : [];
    throw new MpxError(status, this.#textAt(wasm.message()), ...place);
  }

  // ---- dtypes ----
  #dtype(name) {
    let type = this.#dtypes.get(name);
    if (type === undefined) {
      this.#begin();
      const out = this.#take(4);
      this.#checkText(this.#wasm.dtype(out, ...this.#putText(name)));
      type = new Int32Array(this.#wasm.memory.buffer, out, 1)[0];
      this.#dtypes.set(name, type);
    }
    return type;
  }

  info(name) {
    const type = this.#dtype(name), wasm = this.#wasm;
    this.#begin();
    const out = this.#take(13 * 8);
    wasm.dtype_info(out, type);
    const [kind, bits, exponentBits, mantissaBits, bias, hasInf, hasNan, hasNegativeZero, max, min, epsilon,
      smallestNormal, smallestSubnormal] = new Float64Array(wasm.memory.buffer, out, 13);
    return {
      name: this.#textAt(wasm.dtype_name(type)), shortName: this.#textAt(wasm.dtype_short_name(type)),
      kind: KINDS[kind], bits, exponentBits, mantissaBits, bias, hasInf: hasInf !== 0, hasNan: hasNan !== 0,
      hasNegativeZero: hasNegativeZero !== 0, max, min, epsilon, smallestNormal, smallestSubnormal,
    };
  }

  bytes(name, count) {
    if (!(Number.isInteger(count) && count >= 0)) throw new RangeError(`no count of elements: ${count}`);
    return Math.ceil(this.info(name).bits * count / 8);
  }

  // ---- casts ----
  cast(data, from, to, options = {}) {
    const wasm = this.#wasm, source = this.#dtype(from), target = this.#dtype(to), length = bytesOf(data).length;
    const most = Math.floor(length * 8 / this.info(from).bits);
    const { count = most, rounding = 'nearest', saturate = false, seed = 0 } = options;
    const mode = ROUNDINGS.indexOf(rounding);
    if (mode < 0) throw new RangeError(`rounding is none of ${ROUNDINGS.join(', ')}: ${rounding}`);
    if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)) throw new RangeError(`no seed: ${seed}`);
    if (!(Number.isInteger(count) && count >= 0 && count <= most))
      throw new RangeError(`${length} bytes have ${most} elements of ${from}, not ${count}`);
    const size = this.bytes(to, count);
    this.#begin();
    const src = this.#put(data), dst = this.#take(size);
    this.#check(wasm.cast(dst, target, src, source, count, mode, saturate ? 1 : 0, seed));
    return this.#bytesAt(dst, size);
  }

  encode(values, to, options = {}) {
    const isFloat = values instanceof Float32Array; // other numbers are doubles, which float32 would round once more
    if (typeof values?.[Symbol.iterator] !== 'function') throw new TypeError(`no array of numbers: ${values}`);
    return this.cast(isFloat ? values : Float64Array.from(values), isFloat ? 'f32' : 'f64', to, options);
  }

  decode(data, from, count) { return new Float32Array(this.cast(data, from, 'f32', { count }).buffer); }

  // ---- policies ----
  #roles(at) {
    const roles = Array.from(new Int32Array(this.#wasm.memory.buffer, at, 3));
    const [param, compute, output] = roles.map((type) => this.#textAt(this.#wasm.dtype_name(type)) || null);
    return { param, compute, output };
  }

  policy(text) {
    this.#begin();
    const roles = this.#take(12), printed = this.#take(POLICY_TEXT_SIZE);
    this.#checkText(this.#wasm.policy(roles, printed, ...this.#putText(text)));
    return { ...this.#roles(roles), text: this.#textAt(printed) };
  }

  policyFor(map, path) {
    this.#begin();
    const roles = this.#take(12), printed = this.#take(POLICY_TEXT_SIZE), [at] = this.#putText(path);
    this.#checkText(this.#wasm.policy_for(roles, printed, at, ...this.#putText(map)));
    return { ...this.#roles(roles), quantization: this.#textAt(printed) || null };
  }

  // ---- quantization ----
  #quant(format, rows, cols) { // where the format is, and the bytes of a matrix; the call goes on behind them
    if (![rows, cols].every((n) => Number.isInteger(n) && n >= 0 && n < 2 ** 32))
      throw new RangeError(`a matrix of ${rows} x ${cols}`);
    this.#begin();
    const wasm = this.#wasm, q = this.#take(wasm.quant_size()), out = this.#take(4);
    this.#checkText(wasm.quant(q, ...this.#putText(format)));
    this.#checkText(wasm.quant_bytes(out, q, rows, cols));
    return [q, new Uint32Array(wasm.memory.buffer, out, 1)[0]];
  }

  quantBytes(format, rows, cols) { return this.#quant(format, rows, cols)[1]; }

  quantize(values, format, rows, cols) {
    const floats = values instanceof Float32Array ? values : Float32Array.from(values);
    if (floats.length !== rows * cols) throw new RangeError(`${floats.length} values are not ${rows} rows of ${cols}`);
    const [q, size] = this.#quant(format, rows, cols), src = this.#put(floats), dst = this.#take(size);
    this.#check(this.#wasm.quantize(dst, q, src, rows, cols));
    return this.#bytesAt(dst, size);
  }

  dequantize(data, format, rows, cols) {
    const [q, size] = this.#quant(format, rows, cols), bytes = bytesOf(data);
    if (bytes.length !== size) throw new RangeError(`${bytes.length} bytes, where this matrix has ${size}`);
    const src = this.#put(bytes), dst = this.#take(rows * cols * 4);
    this.#check(this.#wasm.dequantize(dst, src, q, rows, cols));
    return new Float32Array(this.#bytesAt(dst, rows * cols * 4).buffer);
  }
}
