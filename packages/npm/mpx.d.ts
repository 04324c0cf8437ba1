/** A dtype by any of its names: 'bfloat16', 'bf16', 'float8_e4m3fn', 'i4' and others. Names that mean different things
    elsewhere ('fp8', 'float') are errors. */
export type Dtype = string;
/** Bytes in memory: elements below a byte are packed, element 0 in the lowest bits; others are little-endian. */
export type Bytes = ArrayBuffer | ArrayBufferView;

export interface CastOptions {
  /** How many elements `data` has; default: as many as its bytes hold. */
  count?: number;
  /** To floats; default 'nearest', ties to even. Integers are truncated. */
  rounding?: 'nearest' | 'toward_zero' | 'stochastic';
  /** What overflows becomes the largest value, not Inf or NaN; default false. */
  saturate?: boolean;
  /** Of stochastic rounding, 0 to 2^32 - 1; default 0. */
  seed?: number;
}

export interface DtypeInfo {
  name: string;
  shortName: string;
  kind: 'float' | 'bool' | 'int' | 'uint' | 'complex';
  bits: number;
  exponentBits: number;
  mantissaBits: number;
  bias: number;
  hasInf: boolean;
  hasNan: boolean;
  hasNegativeZero: boolean;
  /** The largest and the most negative finite value (bool: 1 and 0); for integers of 64 bits rounded to double. */
  max: number;
  min: number;
  epsilon: number;
  smallestNormal: number;
  smallestSubnormal: number;
}

/** The dtypes of the three roles by name; null: not set, leave alone. */
export interface Roles {
  param: Dtype | null;
  compute: Dtype | null;
  output: Dtype | null;
}

/** What mpx.h refuses. status: its mpx_status; offset, length: the word, in bytes of UTF-8, where a text is wrong. */
export declare class MpxError extends Error {
  status: number;
  offset?: number;
  length?: number;
}

/** All methods throw MpxError for what mpx.h refuses, RangeError for numbers and sizes that do not fit, TypeError for
    data that are no Bytes, or that `encode` cannot iterate over. Arrays are copied. */
export interface Mpx {
  readonly version: string;
  /** 'wasm': SIMD128. */
  readonly isa: string;
  info(type: Dtype): DtypeInfo;
  /** The bytes of `count` elements, packed. */
  bytes(type: Dtype, count: number): number;
  /** Elements of one dtype to another, each rounded once. */
  cast(data: Bytes, from: Dtype, to: Dtype, options?: CastOptions): Uint8Array;
  /** Numbers to any dtype, each rounded once: a Float32Array as float32, all else as float64. */
  encode(values: Float32Array | Iterable<number>, to: Dtype, options?: CastOptions): Uint8Array;
  /** Any dtype to float32; `count` where the last byte is not full. */
  decode(data: Bytes, from: Dtype, count?: number): Float32Array;
  /** A policy from its text, 'p=f32,c=bf16,o=f32', 'mixed_float16' and others; text: as mpx.h prints it. */
  policy(text: string): Roles & { text: string };
  /** The policy that a map has for a path; of up to 1024 entries. quantization: of a line such as 'embed.* = q8_0', which
      sets no dtypes; else null. */
  policyFor(map: string, path: string): Roles & { quantization: string | null };
  /** A matrix of rows x cols values, row after row, in a format of mpx_quant_parse: 'q8_0', 'mxfp4', 'int8/row'. */
  quantize(values: Float32Array | Iterable<number>, format: string, rows: number, cols: number): Uint8Array;
  dequantize(data: Bytes, format: string, rows: number, cols: number): Float32Array;
  quantBytes(format: string, rows: number, cols: number): number;
}

/** The module, ready for use. source: its bytes or a compiled module, where mpx.wasm does not lie beside mpx.mjs. */
export declare function load(
  source?: BufferSource | WebAssembly.Module | Promise<BufferSource | WebAssembly.Module>): Promise<Mpx>;
