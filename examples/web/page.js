'use strict';
// The page's side of module.c. tools/web.py pastes it, and the modules, into page.html.

const $ = (id) => document.getElementById(id);
const writer = new TextEncoder(), reader = new TextDecoder('utf-8', { ignoreBOM: true });

// An element: element('td', { class: 'n' }, 'text', child, ...); functions are listeners.
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== false && value != null) made.setAttribute(name, value === true ? '' : value);
  made.append(...children);
  return made;
}
const element = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const drawn = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
const td = (kind, ...children) => element('td', { class: kind }, ...children);
const tr = (...cells) => element('tr', {}, ...cells);
const rowHead = (...children) => element('th', { scope: 'row' }, ...children);
// Columns: [name, class].
const thead = (...columns) =>
  element('thead', {}, tr(...columns.map(([name, kind]) => element('th', { scope: 'col', class: kind }, name))));
const asCode = (words) => element('code', {}, words);

// ---- the modules ----------------------------------------------------------------------------------------------------

async function load(id) {
  const bytes = Uint8Array.from(atob($(id).textContent), (c) => c.charCodeAt(0));
  return (await WebAssembly.instantiate(bytes)).instance.exports;
}

// The module with everything in it, and its memory for us: texts that go in, texts that come out, the rest.
let mpx, room;
const IN = 0, OUT = 1 << 15, NUMBERS = 1 << 16, WEIGHTS = 1 << 17, CODES = 1 << 19, BACK = 1 << 20;
const view = (Type, at, n) => new Type(mpx.memory.buffer, room + at, n);
const at = (offset) => room + offset;

function text(pointer) {
  const bytes = new Uint8Array(mpx.memory.buffer, pointer);
  return reader.decode(bytes.subarray(0, bytes.indexOf(0)));
}
// What a function writes that is given a place and a size for a text.
function written(call) {
  call(at(OUT), OUT);
  return text(at(OUT));
}
// Calls a function with a text and its length.
function say(call, words, ...more) {
  const { written: length } = writer.encodeInto(words, view(Uint8Array, IN, OUT - 1));
  view(Uint8Array, IN, OUT)[length] = 0;
  return call(at(IN), length, ...more);
}
const sentence = () => written((out, size) => mpx.error_text(at(IN), out, size));
const dtypeOf = (name) => say(mpx.dtype, name);

// ---- numbers as texts -----------------------------------------------------------------------------------------------

// Hexadecimal digits times a power of two, rounded once: to 53 bits, or to fewer if the number is subnormal.
function scaled(digits, power) {
  const whole = BigInt(`0x${digits}`), bits = whole.toString(2).length, drop = Math.max(bits - 53, -1074 - power, 0);
  if (whole === 0n || drop > bits) return 0;
  const unit = 1n << BigInt(drop), rest = whole % unit * 2n, kept = whole / unit;
  const up = rest > unit || (rest === unit && kept % 2n === 1n);
  return Number(up ? kept + 1n : kept) * 2 ** (power + drop);
}
function parseAtom(words) {
  const [, minus, word] = /^([-+]?)(.*)$/s.exec(words), sign = minus === '-' ? -1 : 1;
  const hex = /^0x([0-9a-f]*)\.?([0-9a-f]*)(?:p([-+]?\d+))?$/.exec(word);
  if (word === 'pi') return sign * Math.PI;
  if (word === 'inf' || word === 'infinity') return sign * Infinity;
  if (word === 'nan') return NaN; // whose sign onNumber reads
  if (hex && hex[1] + hex[2] !== '') return sign * scaled(hex[1] + hex[2], Number(hex[3] ?? 0) - 4 * hex[2].length);
  return /^(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(word) ? sign * Number(word) : null;
}
// A number, a quotient or a power of two numbers; null for other texts. -2^4 is -16.
function parseNumber(words) {
  const plain = words.trim().toLowerCase().replace(/−/g, '-').replace(/∞/g, 'inf');
  const [a, sign, b, more] = plain.split(/\s*([/^])\s*/), x = parseAtom(a);
  if (sign === undefined || x === null) return x;
  const y = more === undefined ? parseAtom(b) : null;
  if (y === null) return null;
  return sign === '/' ? x / y : (x < 0 || Object.is(x, -0) ? -1 : 1) * Math.abs(x) ** y;
}
function show(x, digits) {
  if (Object.is(x, -0)) return '-0';
  if (!Number.isFinite(x)) return String(x).replace('inity', '');
  if (!digits) return String(x);
  const short = Number(x.toPrecision(digits)), [first, power] = short.toExponential().split('e');
  return short !== 0 && Math.abs(short) < 1e-4 ? `${first}e${power}` : String(short);
}
const brief = (x) => show(x, 3);
function size(bytes) {
  const unit = Math.min(4, Math.floor(Math.log2(bytes || 1) / 10));
  return unit === 0 ? `${bytes} B` : `${(bytes / 1024 ** unit).toFixed(1)} ${'KMGT'[unit - 1]}iB`;
}

// ---- bits -----------------------------------------------------------------------------------------------------------

const NAMES = ['float64', 'float32', 'float16', 'bfloat16', 'float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz',
  'float8_e5m2fnuz', 'float8_e4m3b11fnuz', 'float8_e4m3', 'float8_e3m4', 'float8_e8m0fnu', 'float6_e2m3fn',
  'float6_e3m2fn', 'float4_e2m1fn'];
const DRAWS = 1024;
let formats = [], number = 0n, seed = 1; // number: the bits of a float64, for NaN has more than one

const numberValue = () => {
  view(BigUint64Array, NUMBERS, 1)[0] = number;
  return view(Float64Array, NUMBERS, 1)[0];
};
// The code of the number in a format; the value of a code; the bits of that value as a float64.
function encode(format, rounding, saturate) {
  view(BigUint64Array, NUMBERS, 2).set([number, 0n]);
  mpx.cast_with(at(NUMBERS + 8), format.type, at(NUMBERS), formats[0].type, 1, rounding, saturate, seed);
  return view(BigUint64Array, NUMBERS + 8, 1)[0] & ((1n << BigInt(format.bits)) - 1n);
}
function widen(format, code) {
  view(BigUint64Array, NUMBERS, 2).set([code, 0n]);
  mpx.cast(at(NUMBERS + 8), formats[0].type, at(NUMBERS), format.type, 1);
  return view(BigUint64Array, NUMBERS + 8, 1)[0];
}
function valueOf(format, code) {
  widen(format, code);
  return view(Float64Array, NUMBERS + 8, 1)[0];
}
// The code next to this one; null: there is none.
function neighbour(format, code, up) {
  view(BigUint64Array, NUMBERS, 1)[0] = code;
  return mpx.step(at(NUMBERS), format.type, up) ? view(BigUint64Array, NUMBERS, 1)[0] : null;
}
const hex = (format, code) => '0x' + code.toString(16).padStart(Math.ceil(format.bits / 4), '0');

// What the cast did to the number, in words; whether that hurts.
function verdict(format, x, value) {
  if (Number.isNaN(x)) return Number.isNaN(value) ? ['not a number', false] : ['this format has no NaN', true];
  if (Number.isNaN(value) && !format.hasSign && x <= 0) return ['only positive powers of two', true];
  if (Number.isNaN(value)) return ['overflows: no Inf in this format', true];
  if (x === value) return [Object.is(x, value) ? 'exact' : 'exact; this format has no -0', false];
  if (!Number.isFinite(value)) return ['overflows', true];
  if (!Number.isFinite(x)) return ['becomes the largest value', true];
  const off = value - x, share = Math.abs(off / x) * 100;
  if (value === 0) return [`becomes zero; error ${brief(off)}`, true];
  return [`error ${off > 0 ? '+' : ''}${brief(off)} (${brief(share)} %)`, Math.abs(x) > format.max || share > 100];
}

function makeCard(name) {
  const type = dtypeOf(name);
  mpx.dtype_facts(at(NUMBERS), type);
  const [, bits, exponent, mantissa, bias, hasInf, hasNaN, hasNegativeZero, max, min, epsilon, normal, subnormal] =
    view(Float64Array, NUMBERS, 13);
  const short = text(mpx.dtype_short_name(type));
  const format = { name, short, type, bits, max, hasSign: min < 0, code: 0n, buttons: [] };
  const group = element('div', { class: 'bits', role: 'group', 'aria-label': `Bits of ${name}` });
  group.addEventListener('keydown', (event) => onKey(format, event));
  const fields = { sign: bits - exponent - mantissa, exponent, mantissa };
  let bit = bits;
  for (const [field, n] of Object.entries(fields)) {
    const box = element('span', { class: `field ${field}` });
    for (let i = n; i-- > 0;) {
      const place = --bit;
      const button = element('button', { type: 'button', tabindex: place === bits - 1 ? 0 : -1,
        'aria-label': field === 'sign' ? 'sign' : `${field} bit ${i}`, click: () => flip(format, place),
        focus: () => { format.buttons.forEach((other) => { other.tabIndex = other === button ? 0 : -1; }); } });
      format.buttons[place] = button;
      box.append(button);
    }
    if (n > 0) group.append(box);
  }
  format.shown = element('span');
  format.hex = element('code');
  format.error = element('p', { class: 'error' });
  format.ruler = element('div', { class: 'ruler', 'aria-hidden': 'true' });
  format.below = element('span');
  format.above = element('span');
  format.roundings = element('tbody');
  const has = [hasInf && 'Inf', hasNaN && 'NaN', hasNegativeZero && '-0'].filter(Boolean).join(', ');
  const limits = [['largest', brief9(max)], ['smallest normal', brief9(normal)], ['smallest', brief9(subnormal)],
    ['epsilon', brief9(epsilon)], ['bias', String(bias)], ['has', has || 'finite values only']];
  format.details = element('details', { toggle: () => showRoundings(format) },
    element('summary', {}, 'Roundings and limits'),
    element('div', { class: 'facts' }, element('table', {}, format.roundings),
      element('dl', {}, ...limits.flatMap(([key, value]) => [element('dt', {}, key), element('dd', {}, value)]))));
  const width = bits > 16 ? '' : bits === 16 ? ' half' : ' narrow';
  format.card = element('article', { class: `card${width}`, 'data-format': name },
    element('header', {}, element('h3', {}, name), element('span', {}, `${fields.sign}·${exponent}·${mantissa}`)),
    group, element('p', { class: 'value' }, format.shown, format.hex), format.error, format.ruler,
    element('p', { class: 'ends' }, format.below, format.above), format.details);
  return format;
}
const brief9 = (x) => show(x, 9);

// Under the bits: the value in the middle, its neighbours at the ends, the number where it lies between them.
function showRuler(format, x, value) {
  const ends = [false, true].map((up) => {
    const code = neighbour(format, format.code, up);
    return code === null ? NaN : valueOf(format, code);
  });
  const digits = format.bits > 32 ? 17 : 9;
  format.ruler.replaceChildren();
  [format.below, format.above].forEach((span, i) => {
    const y = ends[i], name = i === 0 ? 'below' : 'above';
    span.dataset.value = show(y);
    span.textContent = Number.isNaN(y) ? '' : show(y, digits);
    span.title = Number.isNaN(y) ? '' : `${name}: ${show(y)}`;
    if (!Number.isNaN(y)) format.ruler.append(element('b', { style: `left:${100 * i}%` }));
  });
  format.ruler.classList.toggle('empty', Number.isNaN(value));
  if (Number.isNaN(value)) return;
  format.ruler.append(element('b', { class: 'here', style: 'left:50%' }));
  if (Number.isNaN(x)) return;
  const side = x < value ? 0 : 1, gap = Math.abs(ends[side] - value), part = Math.abs(x - value) / gap;
  const off = x === value ? 0 : gap > 0 && Number.isFinite(gap) ? Math.min(1, part) : 1;
  format.ruler.append(element('i', { style: `left:${50 + 50 * (side ? off : -off)}%` }));
}

// Each rounding, saturating or not, and how often a stochastic cast goes which way.
function showRoundings(format) {
  if (!format.details.open) return;
  const rounded = (rounding) => (saturate) => [show(valueOf(format, encode(format, rounding, saturate)), 9)];
  const chances = (saturate) => {
    const shares = new Map();
    view(BigUint64Array, WEIGHTS, DRAWS).fill(number);
    mpx.cast_with(at(CODES), format.type, at(WEIGHTS), formats[0].type, DRAWS, 2, saturate, seed);
    mpx.cast(at(BACK), formats[0].type, at(CODES), format.type, DRAWS);
    for (const value of Array.from(view(Float64Array, BACK, DRAWS), (x) => show(x, 9))) // -0 is not 0
      shares.set(value, (shares.get(value) ?? 0) + 1 / DRAWS);
    return [...shares].sort((a, b) => b[1] - a[1])
      .map(([value, share]) => (share < 1 ? `${value} ${Math.round(share * 100)} %` : value));
  };
  const broken = (lines) => lines.flatMap((line) => [line, element('br')]).slice(0, -1);
  const row = (name, lines) => tr(rowHead(name), td('n', ...broken(lines)));
  const all = [['nearest even', rounded(0)], ['toward zero', rounded(1)], ['stochastic', chances]];
  format.roundings.replaceChildren(...all.flatMap(([name, lines]) => {
    const plain = lines(0), saturated = lines(1), differ = plain.join() !== saturated.join();
    return [row(name, plain), ...(differ ? [row(`${name}, saturating`, saturated)] : [])];
  }));
}

function showCard(format, x) {
  const { buttons, code } = format, value = valueOf(format, code), [words, hurts] = verdict(format, x, value);
  buttons.forEach((button, place) => {
    const on = String(code >> BigInt(place) & 1n);
    if (button.textContent !== on) {
      button.textContent = on;
      button.setAttribute('aria-pressed', on === '1');
    }
  });
  format.shown.textContent = show(value, format.bits > 32 ? 17 : 12);
  format.shown.title = show(value);
  format.hex.textContent = hex(format, code);
  format.error.textContent = words;
  format.error.classList.toggle('wrong', hurts);
  showRuler(format, x, value);
  showRoundings(format);
}
// Every format anew; `exact`: the format whose code was set by hand, and is not rounded.
function showNumber(exact) {
  const rounding = Number(document.querySelector('[name=rounding]:checked').value);
  const saturate = Number($('saturate').checked), x = numberValue();
  for (const format of formats) {
    if (format !== exact) format.code = encode(format, rounding, saturate);
    showCard(format, x);
  }
  $('again').hidden = rounding !== 2;
}
function setCode(format, code) {
  format.code = code;
  number = widen(format, code);
  $('number').value = show(numberValue());
  $('number').setAttribute('aria-invalid', false);
  $('number-message').textContent = '';
  showNumber(format);
  $('spoken').textContent = `${format.name} is ${format.shown.textContent}, ${format.hex.textContent}`;
}
const flip = (format, place) => setCode(format, format.code ^ 1n << BigInt(place));

function onKey(format, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return; // the browser's
  const place = format.buttons.indexOf(document.activeElement), last = format.bits - 1;
  const left = Math.min(place + 1, last), right = Math.max(place - 1, 0);
  const to = { ArrowLeft: left, ArrowRight: right, Home: last, End: 0 }[event.key];
  if (to !== undefined) format.buttons[to].focus();
  else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
    const next = neighbour(format, format.code, event.key === 'ArrowUp');
    if (next !== null) setCode(format, next);
  } else return;
  event.preventDefault();
}
function onNumber() {
  const x = parseNumber($('number').value), wrong = x === null;
  $('number').setAttribute('aria-invalid', wrong);
  $('number-message').classList.toggle('wrong', wrong);
  $('number-message').textContent = wrong ? 'No number; these are: 0.1, 1e-7, 1/3, 2^-24, 0x1.8p3, pi, inf, nan' : '';
  if (wrong) return;
  view(Float64Array, NUMBERS, 1)[0] = x;
  const nan = /^\s*[-−]nan\s*$/i.test($('number').value) ? 0xfff8000000000000n : 0x7ff8000000000000n;
  number = Number.isNaN(x) ? nan : view(BigUint64Array, NUMBERS, 1)[0];
  showNumber();
}
const chip = (name, click) => element('button', { type: 'button', click }, name);
function startBits() {
  for (const name of NAMES) formats.push(makeCard(name));
  $('cards').append(...formats.map((format) => format.card));
  for (const example of ['0.1', '1/3', 'pi', '1', '448', '65520', '70000', '2^-24', '1e-7', '-0', 'inf', 'nan'])
    $('numbers').append(chip(example, () => { $('number').value = example; onNumber(); }));
  $('number').addEventListener('input', onNumber);
  for (const input of document.querySelectorAll('[name=rounding], #saturate'))
    input.addEventListener('change', () => showNumber());
  $('all-roundings').addEventListener('change', (event) => {
    for (const format of formats) format.details.open = event.target.checked;
  });
  $('again').addEventListener('click', () => { seed = seed % 0xffffffff + 1; showNumber(); });
  onNumber();
}

// ---- policies and maps ----------------------------------------------------------------------------------------------

const MAP = `# path or pattern = policy or block format
default = p=bf16,c=bf16,o=f32
first_wins = 1
*norm* = f32
*.bias = f32
embed.* = q8_0
layers.*.attn.* = int8/channel
layers.*.mlp.* = mxfp4
`;
const TEXTS = [['a policy', 'p=f32,c=bf16,o=f32'], ['Keras', 'mixed_float16'],
  ['Keras, quantized', 'int4/128_from_mixed_bfloat16'], ['Axon', '<c=bf16>'], ['one dtype', 'half'],
  ['blocks', 'q4_0'], ['a map', MAP], ['a misspelt map', MAP.replace('mxfp4', 'mxpf4')],
  ['an unknown key', 'p=f32,c=bf16,q=f16']];
const PATHS = `embed.weight 32000 x 2048
layers.0.norm.weight 2048
layers.0.attn.qkv.weight 6144 x 2048
layers.0.attn.out.weight 2048 x 2048
layers.0.mlp.up.weight 8192 x 2048
layers.0.mlp.up.bias 8192
layers.0.mlp.down.weight 2048 x 8192
final_norm.weight 2048
head.weight 32000 x 2048
`;
const SYSTEMS = ['as mpx.h prints it', 'as eformer', 'as jmp', 'as Keras', 'as Axon'];
let wrongAt = [0, 0];

// A text that may break behind its dots, commas and slashes.
function breakable(words) {
  return element('code', {}, ...words.match(/[^.,/]*[.,/]?/g).flatMap((part) => [part, element('wbr')]));
}
const role = (type) => (type === 0 ? 'left alone' : text(mpx.dtype_name(type)));
function rule(i) {
  mpx.rule(at(NUMBERS), i);
  const [key, length, param, compute, output, , , , saturate, isBlocks] = view(Int32Array, NUMBERS, 10);
  const printed = SYSTEMS.map((_, dialect) => written((out, n) => mpx.rule_text(i, dialect, out, n)));
  return { key, length, roles: [param, compute, output], saturate, isBlocks, printed };
}
const shortRule = (r) => `${r.printed[0]}${r.saturate ? ' saturate' : ''}`;

function showRules() {
  const words = $('rules').value, bytes = writer.encode(words);
  const upTo = (n) => reader.decode(bytes.subarray(0, n)).length;
  const read = (at, length, dialect) => mpx.rules(at, bytes.length, dialect); // a text that is too long is not read
  const kind = say(read, words, Number($('dialect').value)), failed = kind < 0;
  $('rules').setAttribute('aria-invalid', failed);
  $('go-to').hidden = !failed;
  for (const id of ['parsed', 'resolved']) { // what was read last stays, and pales
    $(id).classList.toggle('stale', failed);
    $(id).setAttribute('aria-hidden', failed);
  }
  $('rules-message').classList.toggle('wrong', failed);
  if (failed) {
    const from = mpx.error_offset(), to = from + mpx.error_length();
    wrongAt = [upTo(from), upTo(to)];
    const before = words.slice(0, wrongAt[0]), line = before.split('\n').length;
    const column = wrongAt[0] - before.lastIndexOf('\n');
    $('rules-message').textContent = `${words.includes('\n') ? `Line ${line}, column ${column}: ` : ''}${sentence()}`;
    const word = words.slice(...wrongAt) || ' ', after = words.slice(wrongAt[1]) + '\n';
    $('marks').replaceChildren(before, element('mark', {}, word), after);
    return;
  }
  $('marks').replaceChildren(words + '\n');
  const what = kind === 2 ? 'A map.' : `A ${rule(0).isBlocks ? 'block format' : 'policy'} for everything.`;
  $('rules-message').textContent = what;
  if (kind === 1) showPolicy(rule(0));
  const decided = showPaths();
  if (kind === 2) showMap(bytes, decided);
}
function showPolicy(r) {
  const tiles = r.isBlocks ? [['quantized as', r.printed[0]]]
    : ['parameters', 'compute', 'outputs'].map((name, i) => [name, role(r.roles[i])]);
  const rows = r.printed.map((printed, i) => [SYSTEMS[i], printed]).filter(([, printed]) => printed !== '');
  $('parsed').replaceChildren(
    element('dl', { class: 'roles' }, ...tiles.map(([name, value]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, value)))),
    element('table', {}, element('tbody', {},
      ...rows.map(([name, printed]) => tr(rowHead(name), td(null, asCode(printed)))))));
}
function showMap(bytes, decided) {
  const rules = Array.from({ length: mpx.rule_count() + 1 }, (_, i) => rule(i)), last = rules.length - 1;
  const key = (r, i) => (i === last ? 'all others' : reader.decode(bytes.subarray(r.key, r.key + r.length)));
  $('parsed').replaceChildren(element('table', {}, thead(['Paths'], ['become'], ['decides', 'n']),
    element('tbody', {}, ...rules.map((r, i) => tr(td(null, breakable(key(r, i))), td(null, breakable(shortRule(r))),
      td(`n${decided[i] ? '' : ' wrong'}`, String(decided[i] ?? 0)))))));
}
// The parameters below: which rule decides each, what it becomes. Returns how many each rule decides.
function showPaths() {
  const decided = [], rows = [];
  let before = 0, after = 0;
  for (const line of $('paths').value.split('\n')) {
    const [, path, a, b] = /^\s*(\S+)(?:\s+(\d{1,6})(?:\s*[x×]\s*(\d{1,6}))?)?\s*$/.exec(line) ?? [];
    if (path === undefined) {
      const cell = td('wrong', `No path and shape: ${line}`);
      cell.colSpan = 3;
      if (line.trim() !== '') rows.push(tr(cell));
      continue;
    }
    const height = b === undefined ? 1 : Number(a), width = Number(b ?? a ?? 1), full = height * width * 4;
    let i = 0;
    const why = written((out, n) => { i = say((words) => mpx.resolve(words, out, n), path); });
    const becomes = i < 0 ? '' : shortRule(rule(i)), bytes = i < 0 ? 0 : mpx.rule_bytes(i, height, width);
    const wrong = bytes === 0 && full !== 0, now = wrong ? full : bytes; // what has no rule stays
    const large = full < 2 ** 30 ? '' : ', or it is too large for this page';
    if (i >= 0) decided[i] = (decided[i] ?? 0) + 1;
    before += full;
    after += now;
    const row = tr(td(null, breakable(path)),
      wrong ? td('wrong', i < 0 ? why : `${becomes} is not for this shape${large}`) : td(null, breakable(becomes)),
      td('n', size(now), bar(now / full)));
    row.title = why;
    rows.push(row);
  }
  const all = rowHead(`All, where float32 takes ${size(before)}`);
  all.colSpan = 2;
  $('resolved').replaceChildren(element('table', {}, thead(['Parameter'], ['becomes'], ['bytes', 'n']),
    element('tbody', {}, ...rows), element('tfoot', {}, tr(all, td('n', size(after), bar(after / before))))));
  return decided;
}
function bar(share, kind = '') {
  const width = Math.min(100, 100 * (share || 0)).toFixed(1);
  return element('span', { class: `bar ${kind}` }, element('i', { style: `width:${width}%` }));
}

function startPolicies() {
  for (const [name, words] of TEXTS)
    $('texts').append(chip(name, () => { $('rules').value = words; showRules(); }));
  $('rules').value = MAP;
  $('paths').value = PATHS;
  for (const id of ['rules', 'paths', 'dialect']) $(id).addEventListener('input', showRules);
  $('rules').addEventListener('scroll', () => { $('marks').scrollTop = $('rules').scrollTop; });
  $('go-to').addEventListener('click', () => {
    $('rules').focus();
    $('rules').setSelectionRange(...wrongAt);
  });
  showRules();
}

// ---- speed ----------------------------------------------------------------------------------------------------------

const MILLION = 1000000, HALF = 8 << 20;
const RACES = [['float32', 'float16'], ['float16', 'float32'], ['float32', 'bfloat16'], ['bfloat16', 'float32'],
  ['float32', 'float8_e4m3fn'], ['float8_e4m3fn', 'float32'], ['float64', 'bfloat16'], ['float4_e2m1fn', 'float32']];
const pause = () => new Promise((done) => setTimeout(done, 0));

// Seconds of the fastest of several runs; browsers round their clocks, so each run lasts a while.
async function time(work) {
  let best = Infinity;
  for (let k = 0; k < 3; k++) {
    let runs = 0, taken = 0;
    const begin = performance.now();
    while (taken < 15) {
      work();
      runs++;
      taken = performance.now() - begin;
    }
    best = Math.min(best, taken / runs / 1000);
    await pause();
  }
  return best;
}
// Seconds for a million numbers by one build, and what they become.
async function race(module, from, to, bytes) {
  const source = module.room(), target = source + HALF;
  const values = new Float32Array(module.memory.buffer, target, MILLION);
  for (let i = 0; i < MILLION; i++) values[i] = ((i * 2654435761 >>> 8) / 8388608 - 1) * 4;
  const [single] = formats.filter((format) => format.name === 'float32');
  module.cast(source, from.type, target, single.type, MILLION);
  const seconds = await time(() => module.cast(target, to.type, source, from.type, MILLION));
  return [seconds, new Uint8Array(module.memory.buffer, target, bytes).slice()];
}
async function raceAll(pairs) {
  const buttons = [$('race'), $('race-one')], focused = document.activeElement;
  for (const button of buttons) button.disabled = true;
  try {
    const simd = await casts('module-casts-simd').catch(() => null), plain = await casts('module-casts');
    $('rates').hidden = false;
    for (const [from, to] of pairs) {
      $('speed-message').textContent = `${from.short} to ${to.short} …`;
      await pause();
      const bytes = Math.ceil(MILLION * to.bits / 8), moved = bytes + Math.ceil(MILLION * from.bits / 8);
      const [slow, one] = await race(plain, from, to, bytes);
      const [fast, two] = simd ? await race(simd, from, to, bytes) : [Infinity, one];
      const equal = one.every((byte, i) => byte === two[i]);
      showRate(`${from.short} to ${to.short}`, moved / slow / 1e9, moved / fast / 1e9, equal);
    }
    $('speed-message').textContent = simd ? '' : 'This browser has no SIMD for WebAssembly.';
  } finally {
    for (const button of buttons) button.disabled = false;
    if (document.activeElement === document.body) focused.focus({ preventScroll: true }); // disabled, it lost the focus
  }
}
const loaded = new Map();
function casts(id) {
  if (!loaded.has(id)) loaded.set(id, load(id));
  return loaded.get(id);
}
const rates = new Map();
function showRate(name, slow, fast, equal) {
  rates.set(name, [slow, fast, equal]);
  const most = Math.max(...[...rates.values()].flat().filter(Number.isFinite).map(Number));
  const line = (rate, kind) =>
    element('div', {}, bar(rate / most, kind), element('span', {}, rate ? rate.toFixed(2) : '–'));
  $('rates').tBodies[0].replaceChildren(...[...rates].map(([pair, [a, b, same]]) =>
    tr(td(null, asCode(pair)), td('bars', line(b, ''), line(a, 'slow')),
      td('n', b ? `${brief(Number((b / a).toPrecision(2)))} ×` : '–'),
      td(`n wide${same ? '' : ' wrong'}`, same ? 'equal' : 'differ'))));
}
function startSpeed() {
  for (const [id, first] of [['from', 2], ['to', 3]])
    $(id).append(...formats.map((format, i) => element('option', { value: i, selected: i === first }, format.name)));
  const named = (name) => formats.find((format) => format.name === name);
  $('race').addEventListener('click', () => raceAll(RACES.map((pair) => pair.map(named))));
  $('race-one').addEventListener('click', () => raceAll([[formats[$('from').value], formats[$('to').value]]]));
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

const ROWS = 64, COLS = 1024, COUNT = ROWS * COLS;
const BLOCKS = ['bf16', 'int8', 'int8/channel', 'q8_0', 'mxint8', 'mxfp8_e4m3', 'f8e4m3fn/row', 'mxfp6_e2m3', 'q5_1',
  'q5_0', 'q4_1', 'q4_0', 'int4/128', 'int4/channel', 'nvfp4', 'mxfp4', 'int2/64'];
let weights, results = [], chosen = 'q4_0', sample = 1;

// Numbers in [0, 1) from a counter.
function random() {
  let state = sample;
  return () => {
    state = state + 0x9e3779b9 | 0;
    let x = Math.imul(state ^ state >>> 16, 0x21f0aaad);
    x = Math.imul(x ^ x >>> 15, 0x735a2d97);
    return ((x ^ x >>> 15) >>> 0) / 4294967296;
  };
}
function draw(kind) {
  const next = random(), normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const one = {
    normal,
    uniform: () => Math.sqrt(3) * (2 * next() - 1),
    heavy: () => normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3), // Student's t, 3 degrees
    outliers: () => normal() * (next() < 0.001 ? 20 : 1),
  }[kind];
  return Float32Array.from({ length: COUNT }, () => 0.02 * one());
}
// A format's bytes, errors and values; null, and error_text has the reason.
function measure(name) {
  view(Float32Array, WEIGHTS, COUNT).set(weights);
  const type = dtypeOf(name), f32 = dtypeOf('f32');
  mpx.dtype_facts(at(NUMBERS), type);
  const [kind, bits] = view(Float64Array, NUMBERS, 2), isFloat = type > 0 && kind === 1;
  let bytes;
  if (isFloat) {
    bytes = COUNT * bits / 8;
    mpx.cast(at(CODES), type, at(WEIGHTS), f32, COUNT);
    mpx.cast(at(BACK), f32, at(CODES), type, COUNT);
    name = text(mpx.dtype_short_name(type));
  } else {
    if (say(mpx.quant, name) !== 0 || (bytes = mpx.quant_bytes(ROWS, COLS)) === 0) return null;
    if (mpx.quantize(at(CODES), at(WEIGHTS), ROWS, COLS) !== 0) return undefined;
    mpx.dequantize(at(BACK), at(CODES), ROWS, COLS);
  }
  mpx.errors(at(NUMBERS), at(BACK), at(WEIGHTS), COUNT);
  const [sqnr, rms, most] = view(Float64Array, NUMBERS, 3);
  return { name, isFloat, bytes, bits: bytes * 8 / COUNT, sqnr, rms, most, back: view(Float32Array, BACK, COUNT).slice() };
}
const bySize = (a, b) => b.bits - a.bits || b.sqnr - a.sqnr;
function measureAll() {
  const names = results.length ? results.map((result) => result.name) : BLOCKS;
  weights = draw(document.querySelector('[name=weights]:checked').value);
  results = names.map(measure).sort(bySize);
  showBlocks();
}
function choose(name) {
  chosen = name;
  showBlocks();
}
function showBlocks() {
  const focused = document.activeElement?.name === 'chosen';
  $('formats').tBodies[0].replaceChildren(...results.map((r) => {
    const is = r.name === chosen;
    const radio = element('input', { type: 'radio', name: 'chosen', value: r.name, checked: is });
    radio.addEventListener('change', () => choose(r.name));
    return element('tr', { class: is && 'chosen' }, td(null, element('label', { class: 'check' }, radio, r.name)),
      td('n', r.bits.toFixed(2)), td('n wide', r.bytes.toLocaleString('en-US')),
      td('n wide', `${(r.bits / 0.32).toFixed(1)} %`), td('n', r.sqnr.toFixed(1)), td('n', r.most.toPrecision(2)));
  }));
  if (focused) document.querySelector('[name=chosen]:checked').focus();
  showCharts();
}
function showCharts() {
  const result = results.find((r) => r.name === chosen), width = (id) => $(id).clientWidth;
  $('pareto').replaceChildren(pareto(width('pareto')));
  $('values-title').replaceChildren('Values ', element('span', {}, '– grey: before; line: ', asCode(chosen)));
  $('errors-title').replaceChildren('Errors of ', asCode(chosen),
    element('span', {}, ` – root mean square ${result.rms.toPrecision(2)}`));
  const spread = Math.sqrt(weights.reduce((sum, w) => sum + w * w, 0) / COUNT), reach = niceAbove(3 * spread);
  const off = result.back.map((value, i) => value - weights[i]), pair = [weights, result.back];
  $('values').replaceChildren(histogram(width('values'), pair, reach, `The weights before and after ${chosen}`));
  $('off').replaceChildren(histogram(width('off'), [off], niceAbove(3 * result.rms), `The errors of ${chosen}`));
}
// The next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten.
function niceAbove(x) {
  const unit = 10 ** Math.floor(Math.log10(x || 1));
  return unit * [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * unit >= x);
}
function pareto(W) {
  const H = W < 440 ? 340 : 470, left = 34, bottom = 42, top = 8, right = 14;
  const bits = results.map((r) => r.bits), noise = results.map((r) => Math.min(r.sqnr, 200));
  const least = Math.min(2, ...bits) * 0.95, most = Math.max(16, ...bits) * 1.06;
  const low = Math.min(0, ...noise), high = Math.max(10, ...noise) * 1.05;
  const X = (x) => left + (W - left - right) * Math.log(x / least) / Math.log(most / least);
  const Y = (db) => H - bottom - (H - bottom - top) * (Math.min(db, 200) - low) / (high - low);
  const label = 'SQNR of each format over its bits a weight. The table below has the numbers.';
  const chart = drawn('svg', { width: W, height: H, role: 'img', 'aria-label': label });
  const put = (x, y, anchor, words, kind) =>
    chart.append(drawn('text', { x, y, 'text-anchor': anchor, class: kind }, words));
  for (let db = Math.ceil(low / 10) * 10; db <= high; db += 10)
    chart.append(drawn('line', { class: 'grid', x1: left, x2: W - right, y1: Y(db), y2: Y(db) }));
  for (let db = Math.ceil(low / 10) * 10; db <= high; db += 10) put(left - 8, Y(db) + 4, 'end', String(db));
  for (const x of [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32].filter((x) => x > least && x < most))
    put(X(x), H - bottom + 18, 'middle', String(x));
  put(W - right, H - 6, 'end', 'bits a weight');
  put(0, top + 6, 'start', 'dB');
  chart.append(drawn('line', { class: 'axis', x1: left, x2: W - right, y1: H - bottom, y2: H - bottom }));
  // A name stands right of its dot, left, above or below: where no dot and no other name is, or not at all.
  const taken = results.map((r) => [X(r.bits) - 6, X(r.bits) + 6, Y(r.sqnr)]);
  const isFree = (from, width, y) => from > left && from + width < W &&
    !taken.some(([a, b, c]) => Math.abs(c - y) < 12 && from < b && from + width > a);
  for (const r of [...results].sort((a, b) => (a.name === chosen) - (b.name === chosen)).reverse()) {
    const x = X(r.bits), y = Y(r.sqnr), is = r.name === chosen ? ' chosen' : '', width = r.name.length * 6.9;
    chart.append(drawn('circle', { class: `dot${is}`, cx: x, cy: y, r: is ? 7 : 5, click: () => choose(r.name) },
      drawn('title', {}, `${r.name}: ${r.bits.toFixed(2)} bits, ${r.sqnr.toFixed(1)} dB`)));
    const places = [[x + 10, y], [x - 10 - width, y], [x - width / 2, y - 15], [x - width / 2, y + 15]];
    const place = places.find(([from, line]) => isFree(from, width, line)) ?? (is && places[2]);
    if (!place) continue;
    taken.push([place[0], place[0] + width, place[1]]);
    put(place[0] + width / 2, place[1] + 4, 'middle', r.name, `name${is}`);
  }
  chart.append(...chart.querySelectorAll('.dot.chosen')); // over the others
  return chart;
}
// Counts of each array from -reach to reach: the first filled, the second, if there is one, as a line.
function histogram(W, arrays, reach, label) {
  const H = 200, bottom = 24, bins = Math.round(W / 5.5);
  const counts = arrays.map((values) => {
    const bin = new Float64Array(bins);
    for (const value of values) {
      const i = Math.floor((value / reach + 1) / 2 * bins);
      if (i >= 0 && i < bins) bin[i]++;
    }
    return bin;
  });
  // A few bins may hold far more than the others: those are cut off.
  const isPair = arrays.length > 1, sorted = counts.flatMap((bin) => [...bin]).sort((a, b) => a - b);
  const usual = 1.6 * sorted[Math.floor(sorted.length * 0.9)], first = isPair ? 1.15 * Math.max(...counts[0]) : 1;
  const high = Math.min(sorted[sorted.length - 1], Math.max(usual, first));
  const Y = (n) => H - bottom - (H - bottom - 4) * Math.min(1, n / high), X = (i) => W * i / bins;
  const step = (n, i) => `L${X(i).toFixed(1)} ${Y(n).toFixed(1)}H${X(i + 1).toFixed(1)}`;
  const outline = (bin) => `M0 ${H - bottom}${[...bin].map(step).join('')}V${H - bottom}`;
  const chart = drawn('svg', { width: W, height: H, role: 'img', 'aria-label': label });
  chart.append(drawn('path', { class: isPair ? 'before' : 'off', d: outline(counts[0]) }));
  if (isPair) chart.append(drawn('path', { class: 'after', d: outline(counts[1]) }));
  chart.append(drawn('line', { class: 'axis', x1: 0, x2: W, y1: H - bottom, y2: H - bottom }));
  for (const [part, anchor] of [[-1, 'start'], [-0.5, 'middle'], [0, 'middle'], [0.5, 'middle'], [1, 'end']])
    chart.append(drawn('text', { x: W * (part + 1) / 2, y: H - 6, 'text-anchor': anchor }, brief(part * reach)));
  return chart;
}
function addFormat() {
  const name = $('format').value.trim(), result = name === 'none' ? null : measure(name);
  $('format-message').classList.toggle('wrong', !result);
  $('format').setAttribute('aria-invalid', !result);
  $('format-message').textContent = result ? '' : name === 'none' ? 'none quantizes nothing: f32' :
    result === null ? sentence() : 'mpx.h only reads this format';
  if (!result) return;
  if (!result.isFloat) result.name = written((out, n) => mpx.quant_text(out, n));
  results = [...results.filter((r) => r.name !== result.name), result].sort(bySize);
  choose(result.name);
}
function startBlocks() {
  for (const input of document.querySelectorAll('[name=weights]')) input.addEventListener('change', measureAll);
  $('resample').addEventListener('click', () => { sample += COUNT * 16; measureAll(); });
  $('add').addEventListener('click', addFormat);
  $('format').addEventListener('keydown', (event) => { if (event.key === 'Enter') addFormat(); });
  new ResizeObserver(showCharts).observe($('pareto'));
  measureAll();
}

// ---- the start ------------------------------------------------------------------------------------------------------

load('module-full').then((module) => {
  mpx = module;
  room = mpx.room();
  startBits();
  startPolicies();
  startSpeed();
  startBlocks();
  const [full, plain, simd] = ['module-full', 'module-casts', 'module-casts-simd']
    .map((id) => `${Math.round($(id).textContent.length * 3 / 4 / 1000)} KB`);
  $('about').textContent = `WebAssembly in this page: ${full}; for casts alone ${plain}, with SIMD ${simd}. ` +
    'It asks for nothing else, and sends nothing.';
  document.documentElement.dataset.ready = '';
}).catch((reason) => {
  $('broken').hidden = false;
  $('broken').textContent = `The module did not start: ${reason.message}`;
});
