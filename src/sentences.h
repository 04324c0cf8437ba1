/*==================================================================*
 * MARK: sentences - statuses and errors in words
 *   This is the last room, because its sentences name errors of all other rooms.
 *==================================================================*/

MPX__API const char *mpx_status_string(mpx_status status) {
    switch ((int)status) {
    case MPX_OK: return "ok";
    case MPX_ERR_ARGUMENT: return "bad argument";
    case MPX_ERR_DTYPE: return "unknown or unusable dtype";
    case MPX_ERR_KEY: return "unknown key";
    case MPX_ERR_MISSING_EQUALS: return "missing '='";
    case MPX_ERR_EXTRA_EQUALS: return "more than one '='";
    case MPX_ERR_EMPTY: return "empty text";
    case MPX_ERR_SYNTAX: return "malformed text";
    case MPX_ERR_SPACE: return "not enough space";
    case MPX_ERR_STATE: return "not a saved state";
#if !MPX_NO_TREE || !MPX_NO_AMP
    case MPX_ERR_STRUCTURE: return "structures differ";
    case MPX_ERR_NOT_FLOATING: return "not floating";
    case MPX_ERR_FIXED_DTYPE: return "dtype cannot be changed";
    case MPX_ERR_DEPTH: return "nested too deeply";
    case MPX_ERR_CALLBACK: return "callback failed";
    case MPX_ERR_WIDER: return "destination wider than source";
#endif
#if !MPX_NO_KERAS || !MPX_NO_QUANT || MPX_COMPUTE
    case MPX_ERR_PAIR: return "not one mode and one source";
    case MPX_ERR_MODE: return "unknown quantization mode";
    case MPX_ERR_NUMBER: return "not a whole number";
    case MPX_ERR_RANGE: return "number out of range";
    case MPX_ERR_UNSUPPORTED: return "unsupported source";
#endif
#if !MPX_NO_QUANT || MPX_COMPUTE || MPX_FILES
    case MPX_ERR_SHAPE: return "unusable shape";
#endif
#if !MPX_NO_QUANT
    case MPX_ERR_SCHEME: return "unknown or unusable quantization";
#endif
#if !MPX_NO_AMP
    case MPX_ERR_SCOPE: return "no scope to leave";
    case MPX_ERR_CYCLE: return "a node reads one that does not come before it";
    case MPX_ERR_RULE: return "not a rule";
    case MPX_ERR_PRECISION: return "unknown or unusable precision";
    case MPX_ERR_OPERATION: return "unknown operation";
#endif
#if MPX_FILES || (!MPX_NO_POLICY && !MPX_NO_POLICY_MAP)
    case MPX_ERR_EXISTS: return "key exists already";
#endif
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
    case MPX_ERR_PATTERN: return "unusable pattern";
    case MPX_ERR_MISSING: return "no such key";
    case MPX_ERR_AMBIGUOUS: return "several patterns match";
    case MPX_ERR_QUOTE: return "quote is not closed";
    case MPX_ERR_ORDER: return "setting after an entry";
#endif
#if MPX_FILES
    case MPX_ERR_FILE: return "malformed file";
    case MPX_ERR_FORMAT: return "unknown format";
#endif
#if !MPX_NO_WEIGHTS
    case MPX_WARN_OVERFLOW: return "values overflow";
#endif
    default: return "unknown status";
    }
}

/* "unknown dtype 'x' at 2" and the like: the sentence as far as the place. */
MPX__PRIVATE void mpx__put_place(mpx__printer *out, const char *what, mpx__slice word,
                                 size_t offset) {
    mpx__put(out, what);
    if (word.n != 0) {
        mpx__put_char(out, ' ');
        mpx__put_quoted(out, word);
    }
    mpx__put(out, " at ");
    mpx__put_size(out, offset);
}

MPX__PRIVATE void mpx__put_wanted(mpx__printer *out, const char *what) {
    mpx__put(out, "; expected ");
    mpx__put(out, what);
}

/* The examples are dtypes that the build has. */
MPX__PRIVATE void mpx__put_expected_dtype(mpx__printer *out) {
    static const mpx_dtype examples[4] = { MPX_BF16, MPX_F16, MPX_F8E4M3FN, MPX_F8E5M2 };
    size_t i;
    mpx__put_wanted(out, "a dtype such as f32");
    for (i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        const char *name = mpx_dtype_short_name(examples[i]);
        mpx__put(out, name[0] != '\0' ? ", " : "");
        mpx__put(out, name);
    }
    mpx__put(out, MPX__HAS_F16 ? ", or full, half" : ", or full");
}

/* What stands before the place, on its line; empty without a text. */
MPX__PRIVATE mpx__slice mpx__line_before(const char *word, size_t offset) {
    mpx__slice line = mpx__slice_of(word, 0);
    while (word != NULL && line.n < offset && line.s[-1] != '\n') {
        line.s--;
        line.n++;
    }
    return line;
}

#if !MPX_NO_KERAS
/* What is wrong with a quantized policy, and what was expected. */
MPX__PRIVATE void mpx__put_quantized_error(mpx__printer *out, mpx__slice word,
                                           const mpx_error *err) {
    const char *what = mpx_status_string(err->status), *wanted = "";
    const mpx__slice before = mpx__line_before(word.s, err->offset);
    switch ((int)err->status) {
    case MPX_ERR_PAIR: wanted = "; expected one '_from_', as in int8_from_float32"; break;
    case MPX_ERR_MODE:
        wanted = "; expected int8, int4, int4/128, float8, ternary, gptq/4/128 or awq/4/128";
        break;
    case MPX_ERR_NUMBER:
        if (err->length == 0) what = "missing number";
        break;
    case MPX_ERR_RANGE:
        wanted = "; expected -1 or 1 to 2147483647 (float8: from 0); bits 2, 3, 4 or 8 (awq: 4)";
        break;
    default:
        wanted = mpx__find_word(before, "_from_", 1) != before.n
                     ? "; int8 takes none that computes in float16"
                 : word.n != 0 && !mpx__begins_with(word, "int8", 1)
                     ? "; it is quantized already"
                     : "; it is quantized already, or int8 with compute in float16";
        break;
    }
    mpx__put_place(out, what, word, err->offset);
    mpx__put(out, wanted);
}
#endif
/* "; did you mean 'bfloat16'?", if a name is near; of mpx_interop_parse: the system's name. */
#if !MPX_NO_INTEROP
MPX__SELDOM void mpx__put_suggestion(mpx__printer *out, mpx__slice word, size_t system,
                                     int floats_only) {
    const mpx_dtype nearest = mpx_dtype_suggest(word.s, word.n);
    const char *name = system != 0 ? mpx_interop_name((mpx_system)system, nearest)
                                   : mpx_dtype_name(nearest);
    if (system != 0) mpx__put_wanted(out, "a name that this system has");
    if (name[0] == '\0' || (name[0] == '<' && name[1] == 'V')) return; /* NumPy's bytes: any dtype */
    if (floats_only && !mpx_dtype_is_floating(nearest)) return;
    mpx__put(out, "; did you mean '");
    mpx__put(out, name);
    mpx__put(out, "'?");
}
#else
MPX__INLINE void mpx__put_suggestion(mpx__printer *out, mpx__slice word, size_t system,
                                     int floats_only) {
    (void)floats_only;
    (void)out;
    (void)word;
    (void)system;
}
#endif

/* mixed_bf16: Keras mixes float16 and bfloat16 by these names alone. */
MPX__PRIVATE void mpx__put_mixed(mpx__printer *out, mpx__slice word) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    mpx_dtype type;
    if (MPX_NO_DIALECTS || !mpx__begins_with(word, "mixed_", 1)) return;
    word = mpx__from(word, 6);
    type = mpx__lookup(word, &any);
    if (type != MPX_F16 && type != MPX_BF16) return;
    if (mpx__is_word(word, mpx_dtype_name(type), 1)) return;
    mpx__put(out, "; did you mean 'mixed_");
    mpx__put(out, mpx_dtype_name(type));
    mpx__put(out, "'?");
}

/* Of a word that means different things, those that the build has; 0 if it is none, or is `long`,
   which alone of them means integers, where a precision stands. */
MPX__PRIVATE int mpx__put_ambiguous(mpx__printer *out, mpx__slice word, const mpx_error *err) {
    const mpx__ambiguity *found = mpx__ambiguity_of(word);
    const char *one, *two;
    if (found == NULL || (err->status != MPX_ERR_DTYPE && found->instead == MPX_I32)) return 0;
    one = mpx_dtype_short_name((mpx_dtype)found->instead);
    two = mpx_dtype_short_name((mpx_dtype)found->other);
    if (one[0] == '\0' && two[0] == '\0') return 0;
    mpx__put_place(out, "ambiguous dtype", word, err->offset);
    mpx__put(out, "; say ");
    mpx__put(out, one);
    if (one[0] != '\0' && two[0] != '\0') mpx__put(out, " or ");
    mpx__put(out, two);
    return 1;
}

/* The error does not say which dialect it was. If the word is right for ours, it was wrong there. */
MPX__PRIVATE void mpx__put_dtype_error(mpx__printer *out, mpx__slice word, const mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    const char *known = word.n != 0 ? mpx_dtype_name(mpx__lookup(word, &any)) : "";
    if (err->index == 0 && mpx__put_ambiguous(out, word, err)) return;
    mpx__put_place(out, err->length != 0 ? "unknown dtype" : "missing dtype", word, err->offset);
    if (err->index != 0) {
        mpx__put_suggestion(out, word, err->index, 0);
        return;
    }
    if (known[0] != '\0') {
        mpx__put(out, "; ");
        mpx__put(out, known);
        mpx__put(out, " has another name in this dialect, or none");
        if (mpx__is_word(word, "half", 1)) mpx__put(out, ", or opt.half is no dtype");
        return;
    }
    if (!MPX_NO_KERAS && mpx__find_word(word, "_from_", 1) != word.n) {
        mpx__put(out, "; in Keras, '_from_' follows int8, int4, float8, ternary, gptq or awq");
        return;
    }
    mpx__put_expected_dtype(out);
    if (err->have != 0) mpx__put(out, ", or a quantization such as int8/row, q8_0");
    mpx__put_suggestion(out, word, 0, 0);
    mpx__put_mixed(out, word);
}

#if !MPX_NO_AMP
/* Does another word stand between a rule's '=' and this one? */
MPX__PRIVATE int mpx__is_after_word(const char *word, size_t offset) {
    const mpx__slice line = mpx__line_before(word, offset);
    size_t n = line.n;
    while (n != 0 && line.s[n - 1] != '=' && line.s[n - 1] != ',' && line.s[n - 1] != ';')
        n--;
    return n != 0 && line.s[n - 1] == '=' && mpx__trim(mpx__from(line, n)).n != 0;
}

/* Integer dtypes are words that are known, and no precisions. */
MPX__PRIVATE void mpx__put_precision_error(mpx__printer *out, mpx__slice word,
                                           const mpx_error *err) {
    mpx_parse_options any = { MPX_DIALECT_ANY, MPX_NONE };
    if (mpx__put_ambiguous(out, word, err)) return;
    mpx__put_place(out, err->length != 0 ? "unknown precision" : "missing precision", word,
                   err->offset);
    mpx__put_wanted(out, mpx__is_after_word(word.s, err->offset)
                             ? "a floating dtype"
                             : "compute, original, widest or a floating dtype");
    if (mpx__lookup(word, &any) == MPX_NONE) mpx__put_suggestion(out, word, 0, 1);
}
#endif

/* Text after the '>' of the printed form, no '>', or Axon's dialect, and no '<'. */
MPX__PRIVATE void mpx__put_syntax_error(mpx__printer *out, mpx__slice word, const mpx_error *err) {
    const char *text = word.s != NULL ? word.s - err->offset : "";
    mpx__slice before = mpx__trim(mpx__slice_of(text, word.s != NULL ? err->offset : 0));
    int closed = word.s == NULL ? err->offset != 0
                                : before.n != 0 && before.s[before.n - 1] == '>';
    if (err->length == 0) {
        mpx__put_place(out, err->offset == 0 ? "missing '<'" : "missing '>'", word, err->offset);
        return;
    }
    mpx__put_place(out, "unexpected", word, err->offset);
    mpx__put_wanted(out, closed ? "the end of the text" : "'<', as in <p=f32 c=bf16>");
}

#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
/* A setting of a map. */
MPX__PRIVATE void mpx__put_argument_error(mpx__printer *out, mpx__slice word,
                                          const mpx_error *err) {
    mpx__slice line = mpx__line_before(word.s, err->offset);
    const char *what = mpx_status_string(err->status);
    if (err->length == 0 && err->offset == 0) {
        mpx__put(out, what);
        return;
    }
    mpx__put_place(out, what, word, err->offset);
    if (mpx__find_word(line, "first_wins", 0) != line.n) mpx__put_wanted(out, "0 or 1");
    if (mpx__find_word(line, "patterns", 0) != line.n)
        mpx__put_wanted(out, "glob, regex, search, hook or exact");
}

/* A bracket alone is one that has no other. */
MPX__PRIVATE void mpx__put_pattern_error(mpx__printer *out, mpx__slice word,
                                         const mpx_error *err) {
    mpx__put_place(out, err->length != 0 ? "unusable in a pattern:" : "pattern too large", word,
                   err->offset);
    if (mpx__is_word(word, "(", 0) || mpx__is_word(word, "[", 0)) mpx__put(out, "; not closed");
    if (mpx__is_word(word, ")", 0)) mpx__put(out, "; not opened");
}
#endif

#if !MPX_NO_TREE || !MPX_NO_AMP || (!MPX_NO_POLICY && !MPX_NO_POLICY_MAP)
/* By its name, or by its number if it is no dtype: a leaf may hold any number. */
MPX__PRIVATE void mpx__put_dtype(mpx__printer *out, mpx_dtype type) {
    if (mpx_dtype_bits(type) != 0) {
        mpx__put(out, mpx_dtype_name(type));
    } else {
        mpx__put(out, type < 0 ? "dtype -" : "dtype ");
        mpx__put_size(out, type < 0 ? 0 - (size_t)(long)type : (size_t)type);
    }
}
/* ": found float32, expected bfloat16", as far as they are known. */
MPX__PRIVATE void mpx__put_dtypes(mpx__printer *out, const mpx_error *err) {
    if (err->found != MPX_NONE) {
        mpx__put(out, ": found ");
        mpx__put_dtype(out, err->found);
    }
    if (err->expected != MPX_NONE) {
        mpx__put(out, err->found != MPX_NONE ? ", expected " : ": expected ");
        mpx__put_dtype(out, err->expected);
    }
}
#endif

MPX__PRIVATE void mpx__put_path_of(mpx__printer *out, const char *before, const mpx_error *err) {
    if (err->path[0] == '\0') return;
    mpx__put(out, before);
    mpx__put_quoted(out, mpx__slice_of(err->path, mpx__length(err->path)));
}

#if !MPX_NO_TREE || (!MPX_NO_POLICY && !MPX_NO_POLICY_MAP)
/* What the error says beyond its status; "" if nothing. */
MPX__PRIVATE const char *mpx__leaf_error_reason(const mpx_error *err) {
    int of_leaf = err->index != (size_t)-1, typed = err->found != MPX_NONE;
    switch ((int)err->status) {
    case MPX_ERR_ARGUMENT:
        return !of_leaf ? "; expected one of the three roles" : typed ? "; its data is NULL" : "";
    case MPX_ERR_SPACE:
        return !typed && err->what == NULL && mpx__length(err->path) == sizeof err->path - 1
                   ? "; expected a path of at most 127 bytes"
                   : "";
    case MPX_ERR_DTYPE:
        return err->expected == MPX_NONE && !mpx_dtype_is_floating(err->found) &&
                       (!of_leaf || mpx_dtype_bits(err->found) != 0)
                   ? ", expected a floating dtype"
                   : "";
    case MPX_ERR_AMBIGUOUS: return "; mpx_policy_map_explain names them; or set first_wins = 1";
    case MPX_ERR_UNSUPPORTED: return "; this quantized format is only read";
    case MPX_ERR_WIDER: return "; if the trees are not swapped, mpx_tree_widen";
    default: return "";
    }
}

/* "structures differ at leaf 3 'decoder/bias': found float32, expected bfloat16". */
MPX__PRIVATE void mpx__put_leaf_error(mpx__printer *out, const mpx_error *err) {
    if (err->index != (size_t)-1) {
        mpx__put(out, err->subject == MPX_SUBJECT_LAYER ? " at layer " : " at leaf ");
        mpx__put_size(out, err->index);
        mpx__put_path_of(out, " ", err);
    }
    if (err->status == MPX_WARN_OVERFLOW) {
        mpx__put(out, ": ");
        mpx__put_u64(out, err->have, " of ");
        mpx__put_dtype(out, err->found);
        mpx__put(out, err->expected != MPX_NONE ? " are no finite " : " become Inf or NaN");
        if (err->expected != MPX_NONE) mpx__put_dtype(out, err->expected);
        return;
    }
    if (err->status == MPX_ERR_SHAPE) {
        const int by_rows = err->what != NULL && err->what[0] == 'e'; /* elements */
        mpx__put(out, by_rows ? ": " : ": rows of ");
        mpx__put_u64(out, err->have, by_rows ? " elements are no whole rows of "
                                             : " elements are no whole blocks of ");
        mpx__put_size(out, err->need);
        return;
    }
    mpx__put_dtypes(out, err);
    mpx__put(out, mpx__leaf_error_reason(err));
}
#endif

#if !MPX_NO_AMP
/* "a node reads one that does not come before it: input 1 of node 7"; of a run "node 7 'matmul'". */
MPX__PRIVATE void mpx__put_node_error(mpx__printer *out, const mpx_error *err) {
    if (err->index == (size_t)-1) return;
    mpx__put(out, ": ");
    if (err->input != (size_t)-1) {
        mpx__put(out, "input ");
        mpx__put_u64(out, err->input, " of ");
    }
    mpx__put(out, "node ");
    mpx__put_size(out, err->index);
    mpx__put_path_of(out, " ", err);
    mpx__put_dtypes(out, err);
    if (err->status == MPX_ERR_OPERATION)
        mpx__put_wanted(out, "one of the caller's, or matmul, softmax, add or the like");
}
#endif

#if MPX_FILES
/* "malformed file at byte 57 in 'head/w': too few bytes; found 3, expected 8", or "at entry 2". */
MPX__PRIVATE void mpx__put_file_error(mpx__printer *out, const mpx_error *err) {
    const size_t at = err->index != (size_t)-1 ? err->index : err->offset; /* writing: may be none */
    if (at != (size_t)-1) mpx__put(out, at == err->index ? " at entry " : " at byte ");
    if (at != (size_t)-1) mpx__put_size(out, at);
    mpx__put_path_of(out, " in ", err);
    mpx__put(out, ": ");
    mpx__put(out, err->what != NULL ? err->what : "");
    if (err->have == err->need) return;
    mpx__put(out, "; found ");
    if (err->have != (size_t)-1) mpx__put_size(out, err->have);
    else mpx__put(out, "more");
    if (err->need == (size_t)-1) return;
    mpx__put(out, ", expected ");
    mpx__put_size(out, err->need);
}
#endif

/* "; 12 bytes where 48 are needed"; ": lr" of an option; "; in m" of one of several trees. */
MPX__PRIVATE void mpx__put_lack(mpx__printer *out, const mpx_error *err) {
    if (err->what == NULL || err->subject == MPX_SUBJECT_FILE) return;
    if (err->status == MPX_ERR_SHAPE && err->subject == MPX_SUBJECT_LEAF) return;
    if (err->have == err->need) {
        mpx__put(out, err->subject == MPX_SUBJECT_TEXT ? ": " : "; in ");
        mpx__put(out, err->what);
        return;
    }
    mpx__put(out, "; ");
    mpx__put_u64(out, err->have, " ");
    mpx__put(out, err->what);
    mpx__put(out, " where ");
    mpx__put_u64(out, err->need, " are needed");
}

/* A word of the text that was read, and what was expected in its place. */
MPX__PRIVATE void mpx__put_text_error(mpx__printer *out, const mpx_error *err, const char *text) {
    mpx__slice word = mpx__slice_of(NULL, 0);
    if (text != NULL) word = mpx__slice_of(text + err->offset, err->length);
    switch ((int)err->status) {
    case MPX_ERR_DTYPE: mpx__put_dtype_error(out, word, err); break;
    case MPX_ERR_EMPTY:
        if (err->length != 0) /* the '=' of a line in a map */
            mpx__put_place(out, "missing key before", word, err->offset);
        else if (err->offset != 0)
            mpx__put_place(out, "missing policy", word, err->offset);
        else
            mpx__put(out, "empty text");
        if (err->length == 0) mpx__put_expected_dtype(out);
        break;
    case MPX_ERR_KEY:
        mpx__put_place(out, err->length != 0 ? "unknown key" : "missing key", word, err->offset);
        mpx__put_wanted(out, "p, c or o (param, compute, output)");
        break;
    case MPX_ERR_MISSING_EQUALS:
        mpx__put_place(out, err->length != 0 ? "missing '=' in" : "empty part", word, err->offset);
        mpx__put_wanted(out, "key=dtype");
        break;
    case MPX_ERR_EXTRA_EQUALS:
        mpx__put_place(out, "unexpected", word, err->offset);
        mpx__put_wanted(out, "one '=' in each part: up to ',' "
                      "(in <...> a blank, in maps a line's end)");
        break;
    case MPX_ERR_SYNTAX: mpx__put_syntax_error(out, word, err); break;
#if !MPX_NO_KERAS
    case MPX_ERR_PAIR:
    case MPX_ERR_MODE:
    case MPX_ERR_NUMBER:
    case MPX_ERR_RANGE:
    case MPX_ERR_UNSUPPORTED: mpx__put_quantized_error(out, word, err); break;
#endif
#if !MPX_NO_QUANT
    case MPX_ERR_SCHEME:
        mpx__put_place(out, err->length != 0 ? "unknown or unusable" : "missing word", word,
                       err->offset);
        mpx__put_wanted(out, word.s == NULL || err->offset == 0 || word.s[-1] != '/'
                                 ? "none, int8, uint4, float8, mxfp4, nvfp4, q8_0 or the like"
                                 : "row, column, 128, 128/down, linear, zero, even, swizzled "
                                   "or the like, once, as the format takes them");
        break;
#endif
#if !MPX_NO_AMP
    case MPX_ERR_RULE:
        mpx__put_place(out, err->length != 0 ? "not a rule:" : "missing key", word, err->offset);
        mpx__put_wanted(out, mpx__is_after_word(word.s, err->offset)
                                 ? "acc and a floating dtype"
                                 : "default, operation=precision or scope:name=precision");
        break;
    case MPX_ERR_PRECISION: mpx__put_precision_error(out, word, err); break;
#endif
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
    case MPX_ERR_PATTERN: mpx__put_pattern_error(out, word, err); break;
    case MPX_ERR_ARGUMENT: mpx__put_argument_error(out, word, err); break;
#endif
    default:
        if (err->length != 0)
            mpx__put_place(out, mpx_status_string(err->status), word, err->offset);
        else
            mpx__put(out, mpx_status_string(err->status));
        break;
    }
}

MPX__API size_t mpx_error_format(const mpx_error *err, const char *text, char *buf, size_t size) {
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    if (err->status == MPX_OK || err->subject != MPX_SUBJECT_TEXT)
        mpx__put(&out, mpx_status_string(err->status));
    else
        mpx__put_text_error(&out, err, text);
#if !MPX_NO_AMP
    if (err->subject == MPX_SUBJECT_NODE) mpx__put_node_error(&out, err);
#endif
#if !MPX_NO_TREE || (!MPX_NO_POLICY && !MPX_NO_POLICY_MAP)
    if (err->subject == MPX_SUBJECT_LEAF || err->subject == MPX_SUBJECT_LAYER)
        mpx__put_leaf_error(&out, err);
#endif
#if MPX_FILES
    if (err->subject == MPX_SUBJECT_FILE) mpx__put_file_error(&out, err);
#endif
    mpx__put_lack(&out, err);
    return out.length;
}
