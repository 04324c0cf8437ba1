/*==================================================================*
 * MARK: dry_run - what a cast would do to a tree, leaf by leaf
 *   Only the reports are written, worst leaf first.
 *==================================================================*/
#if !MPX_NO_TREE && !MPX_NO_STATS

/* Shares and SQNR as bits, which compare as they do: x87 would compare what is not yet rounded. */
MPX__NOINLINE uint64_t mpx__share(uint64_t part, uint64_t whole) {
    const double x = whole != 0 ? (double)part / (double)whole : 0;
    return mpx__read64(&x);
}
MPX__NOINLINE uint64_t mpx__sqnr(const mpx_cast_stats *stats) {
    const double x = mpx_cast_stats_sqnr(stats);
    const uint64_t u = mpx__read64(&x), sign = (uint64_t)1 << 63;
    return u >= sign ? ~u : u | sign;
}

/* NaN and Inf for which the target has no code. */
MPX__PRIVATE uint64_t mpx__specials_lost(const mpx_cast_report *report) {
    mpx_dtype_facts to = mpx_dtype_info(report->to);
    return (to.has_nan ? 0 : report->stats.nan) + (to.has_inf ? 0 : report->stats.infinite);
}

/* Worse: a larger share overflows or has no code; then, a larger share becomes zero; then, the
   lower SQNR; then, whichever comes first. */
MPX__PRIVATE int mpx__is_worse(const mpx_cast_report *report, const mpx_cast_report *than) {
    const mpx_cast_stats *a = &report->stats, *b = &than->stats;
    uint64_t x = mpx__share(a->overflowed + mpx__specials_lost(report), a->count),
             y = mpx__share(b->overflowed + mpx__specials_lost(than), b->count);
    if (x != y) return x > y;
    x = mpx__share(a->zeroed, a->count);
    y = mpx__share(b->zeroed, b->count);
    if (x != y) return x > y;
    x = mpx__sqnr(a);
    y = mpx__sqnr(b);
    return x != y ? x < y : report->index < than->index;
}

/* The reports are a heap, the best on top, until they are sorted. Replace the top by one more: */
MPX__PRIVATE void mpx__heap_down(mpx_cast_report *heap, size_t count,
                                 const mpx_cast_report *report) {
    size_t i = 0, child;
    while ((child = 2 * i + 1) < count) {
        if (child + 1 < count && mpx__is_worse(&heap[child], &heap[child + 1])) child++;
        if (!mpx__is_worse(report, &heap[child])) break;
        mpx__copy(&heap[i], &heap[child], sizeof *heap);
        i = child;
    }
    mpx__copy(&heap[i], report, sizeof *heap);
}
/* At its end, at i: */
MPX__PRIVATE void mpx__heap_up(mpx_cast_report *heap, size_t i, const mpx_cast_report *report) {
    for (; i > 0 && mpx__is_worse(&heap[(i - 1) / 2], report); i = (i - 1) / 2)
        mpx__copy(&heap[i], &heap[(i - 1) / 2], sizeof *heap);
    mpx__copy(&heap[i], report, sizeof *heap);
}
/* Without room for one more, the least bad makes some. */
MPX__PRIVATE void mpx__heap_add(mpx_cast_report *heap, size_t capacity, size_t *count,
                                const mpx_cast_report *report) {
    if (*count < capacity)
        mpx__heap_up(heap, (*count)++, report);
    else if (capacity != 0 && mpx__is_worse(report, heap))
        mpx__heap_down(heap, capacity, report);
}
/* Worst first: the top goes to the end. */
MPX__PRIVATE void mpx__heap_sort(mpx_cast_report *heap, size_t count) {
    mpx_cast_report last;
    while (count > 1) {
        count--;
        mpx__copy(&last, &heap[count], sizeof last);
        mpx__copy(&heap[count], heap, sizeof last);
        mpx__heap_down(heap, count, &last);
    }
}

/* Cast a leaf piece by piece into a buffer on the stack, and compare. */
MPX__PRIVATE void mpx__leaf_stats(mpx_cast_stats *stats, const mpx_leaf *leaf,
                                  const mpx__goal *goal) {
    unsigned char before[MPX__STATS_TILE * 8], codes[MPX__STATS_TILE * 8],
        after[MPX__STATS_TILE * 8];
    size_t step = mpx_dtype_bytes(leaf->dtype, MPX__STATS_TILE), n = leaf->count;
    mpx__target target;
    mpx_leaf part = *leaf;
    mpx__target_set(&target, goal->to, 0);
    for (; n != 0; n -= part.count) {
        part.count = n < MPX__STATS_TILE ? n : MPX__STATS_TILE;
        (void)mpx_cast(before, MPX_F64, part.data, part.dtype, part.count);
        mpx__cast_to_goal(codes, goal, &part);
        (void)mpx_cast(after, MPX_F64, codes, goal->to, part.count);
        mpx__stats_add(stats, &target, before, after, part.count);
        part.data = (unsigned char *)part.data + step;
    }
}

MPX__PRIVATE void mpx__report_set(mpx_cast_report *report, const mpx__walk *walk,
                                  const mpx__goal *goal) {
    mpx__printer path;
    mpx__zero(report, sizeof *report);
    mpx__print_to(&path, report->path, sizeof report->path);
    mpx__put(&path, walk->leaf.path != NULL ? walk->leaf.path : "");
    report->index = walk->index;
    report->from = walk->leaf.dtype;
    report->to = goal->to;
    mpx__leaf_stats(&report->stats, &walk->leaf, goal);
    if (goal->saturate && mpx__row_of(goal->to)->family == MPX__IEEE)
        report->stats.overflowed += report->stats.infinite;
}

MPX__PRIVATE mpx_status mpx__dry_run(const mpx_tree *tree, const mpx__aim *aim,
                                     mpx_cast_report *reports, size_t capacity, size_t *count,
                                     mpx_error *err) {
    mpx__walk walk;
    mpx_cast_report report;
    mpx_status status;
    size_t written = 0;
    int more;
    mpx__walk_start(&walk, tree, err);
    status = mpx__check_aim(&walk, aim);
    if (status != MPX_OK) return status;
    while ((more = mpx__walk_next(&walk)) > 0) {
        mpx__goal goal;
        status = mpx__aim_leaf(&walk, aim, &goal);
        if (status != MPX_OK) return status;
        if (!mpx__needs_cast(&walk.leaf, goal.to)) continue;
        mpx__report_set(&report, &walk, &goal);
        mpx__heap_add(reports, capacity, &written, &report);
    }
    if (more < 0) return (mpx_status)more;
    mpx__heap_sort(reports, written);
    *count = written;
    return MPX_OK;
}

MPX__API mpx_status mpx_tree_dry_run(mpx_tree tree, mpx_dtype to, mpx_cast_report *reports,
                                     size_t capacity, size_t *count, mpx_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    return mpx__dry_run(&tree, &aim, reports, capacity, count, err);
}

/* ---- printing -------------------------------------------------- */

/* x to `digits` places after the point, rounded; below 2^53. */
MPX__PRIVATE void mpx__put_fixed(mpx__printer *out, double x, int digits) {
    double unit = 1;
    size_t whole, part;
    int i;
    if (x < 0) mpx__put_char(out, '-');
    x = x < 0 ? -x : x;
    for (i = 0; i < digits; i++)
        unit *= 10;
    whole = (size_t)x;
    part = (size_t)((x - (double)whole) * unit + 0.5);
    if ((double)part >= unit) {
        whole++;
        part = 0;
    }
    mpx__put_size(out, whole);
    if (digits == 0) return;
    mpx__put_char(out, '.');
    for (i = 1; i < digits; i++) {
        size_t power = 1;
        int k;
        for (k = i; k < digits; k++)
            power *= 10;
        if (part < power) mpx__put_char(out, '0');
    }
    mpx__put_size(out, part);
}

/* Three digits after the point between 0.001 and 100, none up to 10000; beyond, two digits and an
   exponent: 7.00e4. A subnormal is its bits times 2^-1074 = 4.94e-324: arithmetic with it may give
   zero. */
MPX__PRIVATE void mpx__put_number(mpx__printer *out, double x) {
    const uint64_t u = mpx__read64(&x);
    int exponent = 0;
    if (u >= (uint64_t)0x7ff << 52) {
        mpx__put(out, u == (uint64_t)0x7ff << 52 ? "Inf" : "NaN");
        return;
    }
    if (u == 0 || (x >= 0.001 && x < 10000)) {
        mpx__put_fixed(out, x, x >= 100 ? 0 : 3);
        return;
    }
    if (u >> 52 == 0) {
        x = (double)u * 4.9406564584124654;
        exponent = -324;
    }
    for (; x >= 9.995; x /= 10)
        exponent++;
    for (; x < 0.9995; x *= 10)
        exponent--;
    mpx__put_fixed(out, x, 2);
    mpx__put_char(out, 'e');
    if (exponent < 0) mpx__put_char(out, '-');
    mpx__put_size(out, (size_t)(exponent < 0 ? -exponent : exponent));
}

MPX__PRIVATE void mpx__put_count(mpx__printer *out, uint64_t count, const char *what) {
    if (count == 0) return;
    mpx__put(out, ", ");
    mpx__put_u64(out, count, what);
}

MPX__API size_t mpx_cast_report_format(const mpx_cast_report *report, char *buf, size_t size) {
    const mpx_cast_stats *stats = &report->stats;
    mpx__printer out;
    mpx__print_to(&out, buf, size);
    mpx__put(&out, report->path);
    mpx__put(&out, ": ");
    mpx__put(&out, mpx_dtype_name(report->from));
    mpx__put(&out, " to ");
    mpx__put(&out, mpx_dtype_name(report->to));
    mpx__put(&out, ": ");
    mpx__put_u64(&out, stats->count, " values up to ");
    mpx__put_number(&out, stats->max_abs);
    mpx__put_count(&out, stats->nan, " NaN");
    mpx__put_count(&out, stats->infinite, " Inf");
    mpx__put_count(&out, stats->overflowed, " overflow");
    mpx__put_count(&out, stats->zeroed, " become zero");
    mpx__put_count(&out, stats->subnormal, " subnormal");
    if (stats->max_error > 0 || stats->sum_error_squares > 0) {
        mpx__put(&out, ", SQNR ");
        mpx__put_fixed(&out, mpx_cast_stats_sqnr(stats), 1);
        mpx__put(&out, " dB");
    } else if (stats->overflowed + stats->zeroed + mpx__specials_lost(report) == 0) {
        mpx__put(&out, ", exact");
    }
    return out.length;
}

#endif /* !MPX_NO_TREE && !MPX_NO_STATS */
