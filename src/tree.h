/*==================================================================*
 * MARK: tree - walkers, and what is done leaf by leaf
 *   Of policies, this room knows only mpx__map_goal: the dtype that a map gives to a path.
 *   Functions that write walk the tree twice: they first check all leaves, then work on them.
 *==================================================================*/
#if !MPX_NO_TREE

/* ---- the walk -------------------------------------------------- */

typedef struct mpx__walk {
    const mpx_tree *tree;
    mpx_cursor at;
    mpx_leaf leaf;
    size_t index; /* of leaf */
    mpx_error *err;
} mpx__walk;

MPX__PRIVATE void mpx__walk_start(mpx__walk *walk, const mpx_tree *tree, mpx_error *err) {
    mpx__zero(walk, sizeof *walk);
    walk->tree = tree;
    walk->err = err;
    walk->index = (size_t)-1;
    (void)mpx__fail(err, MPX_OK, 0, 0);
}

/* Report the leaf where the walk stands. */
MPX__PRIVATE mpx_status mpx__leaf_fail(const mpx__walk *walk, mpx_status status, mpx_dtype found,
                                       mpx_dtype expected) {
    mpx_error *err = walk->err;
    if (err == NULL) return status;
    (void)mpx__fail(err, status, 0, 0);
    err->found = found;
    err->expected = expected;
    return mpx__fail_of(err, status, MPX_SUBJECT_LEAF, walk->index, walk->leaf.path);
}

/* Is it a leaf of {0}, which has no dtype yet? */
MPX__INLINE int mpx__is_unset(const mpx_leaf *leaf) {
    return leaf->dtype == MPX_NONE && leaf->count == 0;
}

/* What is wrong with a leaf. */
MPX__PRIVATE mpx_status mpx__leaf_status(const mpx_leaf *leaf) {
    if (mpx__is_unset(leaf)) return MPX_OK;
    if (mpx_dtype_bits(leaf->dtype) == 0) return MPX_ERR_DTYPE;
    if (leaf->data == NULL && leaf->count != 0) return MPX_ERR_ARGUMENT;
    return mpx_dtype_bytes(leaf->dtype, leaf->count) == (size_t)-1 ? MPX_ERR_SPACE : MPX_OK;
}

MPX__API int mpx_tree_next(const mpx_tree *tree, mpx_cursor *at, mpx_leaf *leaf) {
    mpx_status status;
    int result;
    mpx__zero(leaf, sizeof *leaf);
    result = tree->next != NULL ? tree->next(at, leaf, tree) : 0;
    if (result <= 0) {
        leaf->dtype = MPX_NONE; /* what went wrong is no fault of the leaf */
        return result;
    }
    status = mpx__leaf_status(leaf);
    return status != MPX_OK ? status : 1;
}

/* The same for a walk, with a report. */
MPX__PRIVATE int mpx__walk_next(mpx__walk *walk) {
    int result;
    walk->index++;
    result = mpx_tree_next(walk->tree, &walk->at, &walk->leaf);
    if (result >= 0) return result;
    return mpx__leaf_fail(walk, (mpx_status)result, walk->leaf.dtype, MPX_NONE);
}

MPX__INLINE mpx_tree mpx__tree_make(mpx_next_fn next, mpx_retype_fn retype, void *user,
                                    const void *layout, size_t count) {
    mpx_tree tree;
    tree.next = next;
    tree.retype = retype;
    tree.user = user;
    tree.layout = layout;
    tree.count = count;
    return tree;
}

/* ---- walker: an array of leaves -------------------------------- */

MPX__PRIVATE int mpx__array_next(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    const mpx_leaf *leaves = (const mpx_leaf *)tree->user;
    if (at->index[0] >= tree->count) return 0;
    *leaf = leaves[at->index[0]++];
    return 1;
}

MPX__PRIVATE mpx_status mpx__array_retype(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree) {
    ((mpx_leaf *)tree->user)[at->index[0] - 1].dtype = dtype;
    return MPX_OK;
}

/* A tree of constants may only be read. */
MPX__API mpx_leaf mpx_leaf_of(const char *path, const void *data, size_t count, mpx_dtype type) {
    mpx_leaf leaf;
    leaf.path = path;
    leaf.data = (void *)(uintptr_t)data;
    leaf.count = count;
    leaf.dtype = type;
    return leaf;
}

MPX__API mpx_tree mpx_tree_of_leaves(mpx_leaf *leaves, size_t count) {
    return mpx__tree_make(mpx__array_next, mpx__array_retype, leaves, NULL, count);
}

/* p + n, also where C has no sum: NULL + 0. */
MPX__INLINE unsigned char *mpx__forward(void *p, size_t n) {
    return n != 0 ? (unsigned char *)p + n : (unsigned char *)p;
}

MPX__API void mpx_leaves_of_tensors(mpx_leaf *leaves, const mpx_tensor *tensors, size_t count,
                                    void *memory, mpx_dtype type) {
    size_t i;
    for (i = 0; i < count; i++)
        leaves[i] = mpx_leaf_of(tensors[i].name,
                                mpx__forward(memory, mpx_dtype_bytes(type, tensors[i].offset)),
                                tensors[i].count, type);
}

/* ---- walker: a C struct, field by field ------------------------ */

/* The cursor holds, per level, the field (index[2 * level]) and, where that is a node, which of its
   structs (index[2 * level + 1]). Every step descends from the root along them. */
typedef struct mpx__level {
    unsigned char *object;
    const mpx_field *fields;
    size_t count;
} mpx__level;

/* Members are read and written by their bytes: the struct may be packed, and a pointer's type is
   the caller's. */
MPX__PRIVATE size_t mpx__field_count(const mpx_field *f, unsigned char *object) {
    size_t count = f->count;
    if ((f->flags & MPX_FIELD_COUNTED) != 0)
        mpx__copy(&count, object + f->count_offset, sizeof count);
    return count;
}

/* Where the elements of a field are; NULL for a pointer that is not set. */
MPX__PRIVATE unsigned char *mpx__field_data(const mpx_field *f, unsigned char *object) {
    void *data = object + f->offset;
    if ((f->flags & MPX_FIELD_POINTER) != 0) mpx__copy(&data, object + f->offset, sizeof data);
    return (unsigned char *)data;
}

/* Follow the cursor down; with a printer, write the path on the way. */
MPX__PRIVATE mpx__level mpx__descend(const mpx_cursor *at, const mpx_tree *tree,
                                     mpx__printer *path) {
    mpx__level level;
    size_t i;
    level.object = (unsigned char *)tree->user;
    level.fields = (const mpx_field *)tree->layout;
    level.count = tree->count;
    for (i = 0; i < at->depth; i++) {
        const mpx_field *f = &level.fields[at->index[2 * i]];
        size_t element = at->index[2 * i + 1];
        if (path != NULL) {
            mpx__put(path, f->name);
            mpx__put_char(path, '/');
            if ((f->flags & MPX_FIELD_INDEXED) != 0) {
                mpx__put_size(path, element);
                mpx__put_char(path, '/');
            }
        }
        level.object = mpx__field_data(f, level.object) + element * f->stride;
        level.fields = f->fields;
        level.count = f->field_count;
    }
    return level;
}

MPX__PRIVATE int mpx__struct_leaf(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree,
                                  const mpx_field *f, unsigned char *object) {
    mpx__printer path;
    mpx__print_to(&path, at->path, sizeof at->path);
    mpx__descend(at, tree, &path);
    mpx__put(&path, f->name);
    leaf->path = at->path;
    leaf->data = mpx__field_data(f, object);
    leaf->count = leaf->data != NULL ? mpx__field_count(f, object) : 0;
    leaf->dtype = f->dtype;
    if ((f->flags & MPX_FIELD_TYPED) != 0)
        mpx__copy(&leaf->dtype, object + f->dtype_offset, sizeof leaf->dtype);
    return path.length < sizeof at->path ? 1 : MPX_ERR_SPACE;
}

MPX__PRIVATE int mpx__struct_next(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    for (;;) {
        mpx__level level = mpx__descend(at, tree, NULL);
        size_t *field = &at->index[2 * at->depth], *element = field + 1;
        const mpx_field *f = level.count != 0 ? &level.fields[*field] : NULL;
        if (*field >= level.count) { /* this struct is done: the next one of its node */
            if (at->depth == 0) return 0;
            at->depth--;
            at->index[2 * at->depth + 1]++;
        } else if (f->fields == NULL) {
            ++*field;
            return mpx__struct_leaf(at, leaf, tree, f, level.object);
        } else if (mpx__field_data(f, level.object) == NULL ||
                   *element >= mpx__field_count(f, level.object)) {
            ++*field; /* this node is done */
            *element = 0;
        } else {
            if (at->depth == MPX_TREE_DEPTH) return MPX_ERR_DEPTH;
            at->depth++;
            at->index[2 * at->depth] = 0;
            at->index[2 * at->depth + 1] = 0;
        }
    }
}

MPX__PRIVATE mpx_status mpx__struct_retype(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree) {
    mpx__level level = mpx__descend(at, tree, NULL);
    const mpx_field *f = &level.fields[at->index[2 * at->depth] - 1];
    if ((f->flags & MPX_FIELD_TYPED) == 0) return MPX_ERR_FIXED_DTYPE;
    mpx__copy(level.object + f->dtype_offset, &dtype, sizeof dtype);
    return MPX_OK;
}

MPX__API mpx_tree mpx_tree_of_struct(void *object, const mpx_field *fields, size_t field_count) {
    return mpx__tree_make(mpx__struct_next, mpx__struct_retype, object, fields, field_count);
}

/* ---- walker: some leaves of another tree ----------------------- */

MPX__PRIVATE int mpx__filter_next(mpx_cursor *at, mpx_leaf *leaf, const mpx_tree *tree) {
    const mpx_tree_filter *f = (const mpx_tree_filter *)tree->layout;
    int result;
    do {
        mpx__zero(leaf, sizeof *leaf); /* of one that is left out nothing stays */
        result = f->tree.next != NULL ? f->tree.next(at, leaf, &f->tree) : 0;
    } while (result > 0 && f->keep != NULL && !f->keep(leaf, f->user));
    return result;
}

MPX__PRIVATE mpx_status mpx__filter_retype(mpx_cursor *at, mpx_dtype dtype, const mpx_tree *tree) {
    const mpx_tree_filter *f = (const mpx_tree_filter *)tree->layout;
    return f->tree.retype(at, dtype, &f->tree);
}

MPX__API mpx_tree mpx_tree_where(const mpx_tree_filter *filter) {
    return mpx__tree_make(mpx__filter_next, filter->tree.retype != NULL ? mpx__filter_retype : NULL,
                          NULL, filter, 0);
}

/* ---- sizes ----------------------------------------------------- */

/* *sum += x; returns 0 if size_t cannot hold it. An x of SIZE_MAX already means "too large". */
MPX__INLINE int mpx__add_size(size_t *sum, size_t x) {
    if (x == (size_t)-1 || x > (size_t)-1 - *sum) return 0;
    *sum += x;
    return 1;
}

MPX__INLINE int mpx__needs_cast(const mpx_leaf *leaf, mpx_dtype to) {
    return to != MPX_NONE && leaf->dtype != to && mpx_dtype_is_floating(leaf->dtype);
}

/* What leaves are cast to: all to one dtype, or each to the dtype of a map for its path. */
typedef struct mpx__aim {
    mpx_dtype to;
    const mpx_policy_map *map; /* NULL: none */
    mpx_role role;
    int wide_only; /* leaves of 8 bits and fewer stay */
    int quantizes; /* goals may have a quantization */
} mpx__aim;

MPX__INLINE mpx__aim mpx__aim_at(mpx_dtype to) {
    mpx__aim aim;
    mpx__zero(&aim, sizeof aim);
    aim.to = to;
    return aim;
}

/* What one leaf is cast to. */
typedef struct mpx__goal {
    mpx_dtype to;
    int saturate;
    const struct mpx_quant *quant; /* NULL, or how: `to` then is an integer, which trees refuse */
} mpx__goal;

/* The only thing that trees know of policies; in policy_map.h. */
#if !MPX_NO_POLICY && !MPX_NO_POLICY_MAP
MPX__PRIVATE mpx_status mpx__map_goal(const mpx_policy_map *map, mpx_role role, const char *path,
                                      mpx__goal *goal);
#else
MPX__INLINE mpx_status mpx__map_goal(const mpx_policy_map *map, mpx_role role, const char *path,
                                     mpx__goal *goal) {
    (void)map;
    (void)role;
    (void)path;
    (void)goal;
    return MPX_OK;
}
#endif

/* Whole elements, packed. dst may be the source where it is no wider. */
MPX__PRIVATE void mpx__cast_to_goal(void *dst, const mpx__goal *goal, const mpx_leaf *src) {
#if !MPX_NO_CAST_WITH
    if (goal->saturate) {
        mpx__cast_saturating(dst, mpx__row_of(goal->to), src->data, mpx__row_of(src->dtype),
                             src->count);
        return;
    }
#endif
    (void)mpx_cast(dst, goal->to, src->data, src->dtype, src->count);
}

/* Is the role one of the three, and the one dtype of all leaves a dtype? */
MPX__PRIVATE mpx_status mpx__check_aim(const mpx__walk *walk, const mpx__aim *aim) {
    if (aim->role < MPX_ROLE_PARAM || aim->role > MPX_ROLE_OUTPUT)
        return mpx__leaf_fail(walk, MPX_ERR_ARGUMENT, MPX_NONE, MPX_NONE);
    if (aim->to == MPX_NONE || mpx_dtype_bits(aim->to) != 0) return MPX_OK;
    return mpx__leaf_fail(walk, MPX_ERR_DTYPE, aim->to, MPX_NONE);
}

/* What the leaf where the walk stands is cast to: a float to a float. */
MPX__PRIVATE mpx_status mpx__aim_leaf(const mpx__walk *walk, const mpx__aim *aim, mpx__goal *goal) {
    mpx_status status = MPX_OK;
    goal->to = aim->to;
    goal->saturate = 0;
    goal->quant = NULL;
    if (aim->wide_only && mpx_dtype_bits(walk->leaf.dtype) <= 8) goal->to = MPX_NONE;
    if (!mpx_dtype_is_floating(walk->leaf.dtype)) return MPX_OK;
    if (aim->map != NULL) status = mpx__map_goal(aim->map, aim->role, walk->leaf.path, goal);
    if (status == MPX_OK && aim->quantizes && goal->quant != NULL) return MPX_OK;
    if (status == MPX_OK && goal->to != MPX_NONE && !mpx_dtype_is_floating(goal->to))
        status = MPX_ERR_DTYPE;
    return status != MPX_OK ? mpx__leaf_fail(walk, status, goal->to, MPX_NONE) : MPX_OK;
}

/* Is the path in the cursor? The next leaf overwrites it, so it must be copied. */
MPX__INLINE int mpx__path_is_built(const mpx__walk *walk) {
    return walk->leaf.path == walk->at.path;
}

/* Besides the totals, data = the part of storage that is not paths. */
MPX__PRIVATE mpx_status mpx__measure(const mpx_tree *tree, const mpx__aim *aim, mpx_tree_size *size,
                                     size_t *data, mpx_error *err) {
    mpx__walk walk;
    mpx_tree_size sum;
    mpx_status status;
    size_t paths = 0;
    int more;
    sum.leaves = sum.elements = sum.bytes = sum.storage = 0; /* {0} would call memset on M0+ */
    mpx__walk_start(&walk, tree, err);
    status = mpx__check_aim(&walk, aim);
    if (status != MPX_OK) return status;
    while ((more = mpx__walk_next(&walk)) > 0) {
        mpx__goal goal;
        size_t storage = 0;
        status = mpx__aim_leaf(&walk, aim, &goal);
        if (status != MPX_OK) return status;
        if (mpx__needs_cast(&walk.leaf, goal.to))
            storage = mpx__aligned(mpx_dtype_bytes(goal.to, walk.leaf.count));
        if (mpx__path_is_built(&walk)) paths += mpx__length(walk.leaf.path) + 1;
        sum.leaves++;
        if (!mpx__add_size(&sum.elements, walk.leaf.count) ||
            !mpx__add_size(&sum.storage, storage) ||
            !mpx__add_size(&sum.bytes, mpx_dtype_bytes(walk.leaf.dtype, walk.leaf.count)))
            return mpx__leaf_fail(&walk, MPX_ERR_SPACE, walk.leaf.dtype, MPX_NONE);
    }
    if (more < 0) return (mpx_status)more;
    *data = sum.storage;
    if (!mpx__add_size(&sum.storage, mpx__aligned(paths)))
        return mpx__leaf_fail(&walk, MPX_ERR_SPACE, MPX_NONE, MPX_NONE);
    *size = sum;
    return MPX_OK;
}

MPX__API mpx_status mpx_tree_measure(mpx_tree tree, mpx_dtype to, mpx_tree_size *size,
                                     mpx_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    size_t data;
    return mpx__measure(&tree, &aim, size, &data, err);
}

MPX__API mpx_status mpx_tree_check_floating(mpx_tree tree, mpx_error *err) {
    mpx__walk walk;
    int more;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0)
        if (!mpx_dtype_is_floating(walk.leaf.dtype) && !mpx__is_unset(&walk.leaf))
            return mpx__leaf_fail(&walk, MPX_ERR_NOT_FLOATING, walk.leaf.dtype, MPX_NONE);
    return (mpx_status)more;
}

MPX__API mpx_status mpx_tree_all_finite(mpx_tree tree, int *finite, mpx_error *err) {
    mpx__walk walk;
    int more, all = 1;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0)
        if (walk.leaf.count != 0 && all)
            all = mpx_all_finite(walk.leaf.data, walk.leaf.dtype, walk.leaf.count);
    if (more == 0) *finite = all;
    return (mpx_status)more;
}

MPX__API mpx_status mpx_tree_any_infinite(mpx_tree tree, int *infinite, mpx_error *err) {
    mpx__walk walk;
    int more, any = 0;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0)
        if (!any) any = mpx_any_infinite(walk.leaf.data, walk.leaf.dtype, walk.leaf.count);
    if (more == 0) *infinite = any;
    return (mpx_status)more;
}

/* ---- one tree: casts ------------------------------------------- */

/* goal->to: MPX_NONE if the leaf stays as it is. */
MPX__PRIVATE mpx_status mpx__check_in_place(mpx__walk *walk, const mpx__aim *aim, mpx__goal *goal) {
    const mpx_leaf *leaf = &walk->leaf;
    const mpx_tree *tree = walk->tree;
    mpx_status status = mpx__aim_leaf(walk, aim, goal);
    if (status != MPX_OK) return status;
    if (!mpx__needs_cast(leaf, goal->to)) goal->to = MPX_NONE;
    if (goal->to == MPX_NONE) return MPX_OK;
    if (mpx_dtype_bits(goal->to) > mpx_dtype_bits(leaf->dtype))
        return mpx__leaf_fail(walk, MPX_ERR_SPACE, leaf->dtype, goal->to);
    if (tree->retype == NULL || tree->retype(&walk->at, leaf->dtype, tree) != MPX_OK)
        return mpx__leaf_fail(walk, MPX_ERR_FIXED_DTYPE, leaf->dtype, goal->to);
    return MPX_OK;
}

MPX__PRIVATE mpx_status mpx__cast_in_place(const mpx_tree *tree, const mpx__aim *aim,
                                           mpx_error *err) {
    mpx__walk walk;
    mpx__goal goal;
    mpx_status status;
    int more;
    mpx__walk_start(&walk, tree, err);
    status = mpx__check_aim(&walk, aim);
    if (status != MPX_OK) return status;
    while ((more = mpx__walk_next(&walk)) > 0) {
        status = mpx__check_in_place(&walk, aim, &goal);
        if (status != MPX_OK) return status;
    }
    if (more < 0) return (mpx_status)more;
    mpx__walk_start(&walk, tree, err);
    while ((more = mpx__walk_next(&walk)) > 0) {
        status = mpx__check_in_place(&walk, aim, &goal);
        if (status != MPX_OK) return status;
        if (goal.to == MPX_NONE) continue;
        mpx__cast_to_goal(walk.leaf.data, &goal, &walk.leaf);
        (void)tree->retype(&walk.at, goal.to, tree);
    }
    return (mpx_status)more;
}

MPX__API mpx_status mpx_tree_cast_in_place(mpx_tree tree, mpx_dtype to, mpx_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    return mpx__cast_in_place(&tree, &aim, err);
}

MPX__API mpx_arena mpx_arena_of(void *data, size_t size, mpx_leaf *leaves, size_t leaf_capacity) {
    mpx_arena arena;
    arena.data = data;
    arena.size = size;
    arena.used = 0;
    arena.leaves = leaves;
    arena.leaf_capacity = leaf_capacity;
    arena.leaves_used = 0;
    return arena;
}

/* A piece of storage being handed out from the front. */
typedef struct mpx__room {
    unsigned char *at;
    size_t left;
} mpx__room;

/* NULL if too little is left, because the second walk gave more than the first. */
MPX__INLINE unsigned char *mpx__take(mpx__room *room, size_t size) {
    unsigned char *at = room->at;
    if (size > room->left) return NULL;
    room->at = mpx__forward(at, size);
    room->left -= size;
    return at;
}

/* A path that the walker built is copied. Returns 0 where there is no room. */
MPX__PRIVATE int mpx__keep_path(mpx_leaf *leaf, const mpx__walk *walk, mpx__room *paths) {
    const size_t n = mpx__path_is_built(walk) ? mpx__length(walk->leaf.path) + 1 : 0;
    char *path;
    if (n == 0) return 1;
    path = (char *)mpx__take(paths, n);
    if (path == NULL) return 0;
    mpx__copy(path, walk->leaf.path, n);
    leaf->path = path;
    return 1;
}

/* One leaf of the new tree: cast if need be, its path copied if the walker built it. */
MPX__PRIVATE mpx_status mpx__cast_leaf(mpx_leaf *leaf, const mpx__walk *walk, const mpx__goal *goal,
                                       mpx__room *data, mpx__room *paths) {
    const mpx_leaf *src = &walk->leaf;
    *leaf = *src;
    if (mpx__needs_cast(src, goal->to)) {
        leaf->data = mpx__take(data, mpx__aligned(mpx_dtype_bytes(goal->to, src->count)));
        leaf->dtype = goal->to;
        if (leaf->data == NULL && src->count != 0) return MPX_ERR_STRUCTURE;
        mpx__cast_to_goal(leaf->data, goal, src);
    }
    return mpx__keep_path(leaf, walk, paths) ? MPX_OK : MPX_ERR_STRUCTURE;
}
/* What is left of an arena's bytes or leaves. */
MPX__INLINE size_t mpx__left(size_t all, size_t used) { return used < all ? all - used : 0; }
MPX__PRIVATE mpx_status mpx__check_arena(const mpx__walk *walk, const mpx_arena *arena,
                                         const mpx_tree_size *size) {
    const size_t bytes = mpx__left(arena->size, arena->used),
                 leaves = mpx__left(arena->leaf_capacity, arena->leaves_used);
    if (size->storage <= bytes && size->leaves <= leaves) return MPX_OK;
    (void)mpx__leaf_fail(walk, MPX_ERR_SPACE, MPX_NONE, MPX_NONE);
    return size->storage > bytes ? mpx__lack(walk->err, "bytes", bytes, size->storage)
                                 : mpx__lack(walk->err, "leaves", leaves, size->leaves);
}

/* The second walk: count leaves into `leaves`. */
MPX__PRIVATE mpx_status mpx__cast_leaves(mpx__walk *walk, const mpx__aim *aim, mpx_leaf *leaves,
                                         size_t count, mpx__room data, mpx__room paths) {
    size_t i = 0;
    int more;
    while ((more = mpx__walk_next(walk)) > 0) {
        mpx__goal goal;
        mpx_status status = mpx__aim_leaf(walk, aim, &goal);
        if (status != MPX_OK) return status;
        status = i < count ? mpx__cast_leaf(&leaves[i], walk, &goal, &data, &paths)
                           : MPX_ERR_STRUCTURE;
        if (status != MPX_OK) return mpx__leaf_fail(walk, status, MPX_NONE, goal.to);
        i++;
    }
    if (more == 0 && i < count) return mpx__leaf_fail(walk, MPX_ERR_STRUCTURE, MPX_NONE, aim->to);
    return (mpx_status)more;
}

MPX__PRIVATE mpx_status mpx__cast_into(mpx_tree *out, const mpx_tree *src, const mpx__aim *aim,
                                       mpx_arena *arena, mpx_error *err) {
    mpx__walk walk;
    mpx_tree_size size;
    mpx_leaf *leaves;
    mpx__room data, paths;
    mpx_status status;
    mpx__zero(&size, sizeof size); /* or gcc 12 may warn */
    mpx__zero(&data, sizeof data);
    status = mpx__measure(src, aim, &size, &data.left, err);
    if (status != MPX_OK) return status;
    mpx__walk_start(&walk, src, err);
    status = mpx__check_arena(&walk, arena, &size);
    if (status != MPX_OK) return status;
    leaves = arena->leaves_used != 0 ? arena->leaves + arena->leaves_used : arena->leaves;
    data.at = mpx__forward(arena->data, arena->used);
    paths.at = mpx__forward(data.at, data.left);
    paths.left = size.storage - data.left;
    status = mpx__cast_leaves(&walk, aim, leaves, size.leaves, data, paths);
    if (status != MPX_OK) return status;
    arena->used += size.storage;
    arena->leaves_used += size.leaves;
    *out = mpx_tree_of_leaves(leaves, size.leaves);
    return MPX_OK;
}

MPX__API mpx_status mpx_tree_cast_into(mpx_tree *out, mpx_tree src, mpx_dtype to, mpx_arena *arena,
                                       mpx_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    return mpx__cast_into(out, &src, &aim, arena, err);
}
MPX__API mpx_status mpx_tree_put_dtype(mpx_tree *out, mpx_tree src, mpx_dtype to, mpx_arena *arena,
                                       mpx_error *err) {
    mpx__aim aim = mpx__aim_at(to);
    aim.wide_only = 1;
    return mpx__cast_into(out, &src, &aim, arena, err);
}

/* ---- two trees, leaf by leaf ----------------------------------- */

MPX__INLINE int mpx__same_path(const char *a, const char *b) {
    if (a == b) return 1;
    if (a == NULL) a = "";
    if (b == NULL) b = "";
    for (; *a == *b && *a != 0; a++)
        b++;
    return *a == *b;
}

/* How the dtypes of two trees may differ: not at all; in any way, except that leaves of dst are
   wider and none is narrower; in any way. */
typedef enum mpx__pairing { MPX__SAME, MPX__NARROWS, MPX__ANY_WIDTH } mpx__pairing;

/* May src be cast or scaled into dst? Leaves that are not floating need equal dtypes. */
MPX__PRIVATE mpx_status mpx__check_leaves(const mpx__walk *dst, const mpx__walk *src,
                                          mpx__pairing pairing) {
    const mpx_leaf *d = &dst->leaf, *s = &src->leaf;
    if (!mpx__same_path(d->path, s->path) || d->count != s->count) {
        (void)mpx__leaf_fail(dst, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
        if (mpx__same_path(d->path, s->path))
            (void)mpx__lack(dst->err, "elements", s->count, d->count);
        return MPX_ERR_STRUCTURE;
    }
    if (d->dtype == s->dtype) return MPX_OK;
    if (pairing == MPX__SAME || !mpx_dtype_is_floating(d->dtype) ||
        !mpx_dtype_is_floating(s->dtype))
        return mpx__leaf_fail(dst, MPX_ERR_DTYPE, d->dtype, s->dtype);
    if (d->data == s->data && d->count != 0 && mpx_dtype_bits(d->dtype) > mpx_dtype_bits(s->dtype))
        return mpx__leaf_fail(dst, MPX_ERR_SPACE, d->dtype, s->dtype);
    return MPX_OK;
}

/* The next leaf of both: 1, 0 or a status; MPX_ERR_STRUCTURE where one tree ends before the
   other. */
MPX__PRIVATE int mpx__pair_next(mpx__walk *dst, mpx__walk *src, mpx__pairing pairing) {
    int more_dst = mpx__walk_next(dst), more_src;
    mpx_status status;
    if (more_dst < 0) return more_dst; /* before src can report something else */
    more_src = mpx__walk_next(src);
    if (more_src < 0) return more_src;
    if (more_dst != more_src)
        return mpx__leaf_fail(more_dst ? dst : src, MPX_ERR_STRUCTURE, MPX_NONE, MPX_NONE);
    if (more_dst == 0) return 0;
    status = mpx__check_leaves(dst, src, pairing);
    return status != MPX_OK ? status : 1;
}

/* What to do with every pair of leaves: cast or, if `scales`, times or divided by the f32 with the
   bits u. wider, narrower, not_finite and sum are results: has dst such leaves? */
typedef struct mpx__errand {
    mpx__pairing pairing;
    int scales, divide, asks_squares, wider, narrower, not_finite;
    uint32_t u;
    uint64_t sum; /* of squares: bits of an f64 */
} mpx__errand;
MPX__INLINE void mpx__errand_set(mpx__errand *errand, mpx__pairing pairing) {
    mpx__zero(errand, sizeof *errand);
    errand->pairing = pairing;
}

/* Returns MPX_ERR_DTYPE for a leaf that is not scaled. */
MPX__PRIVATE mpx_status mpx__scale_pair(const mpx_leaf *d, const mpx_leaf *s,
                                        mpx__errand *errand) {
    int finite = 1;
    mpx_status status;
    mpx__asked asked;
    mpx__zero(&asked, sizeof asked);
    asked.finite = &finite;
#if !MPX_NO_REDUCE
    mpx__squares squares;
    mpx__zero(&squares, sizeof squares);
    if (errand->asks_squares) asked.squares = &squares;
#endif
    status = mpx__scale_elements(d->data, d->dtype, s->data, s->dtype, s->count, errand->u,
                                 errand->divide, &asked);
#if !MPX_NO_REDUCE
    if (errand->asks_squares)
        errand->sum = mpx__f64_sum(errand->sum, mpx__squares_sum(&squares));
#endif
    if (!finite) errand->not_finite = 1;
    return status;
}
/* A leaf that keeps its memory and its dtype needs no work, unless it is scaled. */
MPX__PRIVATE void mpx__do_pair(const mpx_leaf *d, const mpx_leaf *s, mpx__errand *errand) {
    if (errand->scales && mpx__scale_pair(d, s, errand) == MPX_OK) return;
    if (d->data != s->data || d->dtype != s->dtype)
        (void)mpx_cast(d->data, d->dtype, s->data, s->dtype, s->count);
}

/* Compare the widths of a pair of leaves. The error names the first leaf that is wider. */
MPX__PRIVATE void mpx__note_widths(const mpx__walk *dst, const mpx__walk *src,
                                   mpx__errand *errand) {
    const mpx_dtype d = dst->leaf.dtype, s = src->leaf.dtype;
    const int wider = mpx_dtype_bits(d) - mpx_dtype_bits(s);
    if (wider < 0) errand->narrower = 1;
    if (wider <= 0 || errand->wider) return;
    errand->wider = 1;
    (void)mpx__leaf_fail(dst, MPX_ERR_WIDER, d, s);
}

MPX__PRIVATE mpx_status mpx__pair_walk(const mpx_tree *dst, const mpx_tree *src,
                                       mpx__errand *errand, int work, mpx_error *err) {
    mpx__walk d, s;
    int more;
    mpx__walk_start(&d, dst, err);
    mpx__walk_start(&s, src, err);
    while ((more = mpx__pair_next(&d, &s, errand->pairing)) > 0)
        if (work) mpx__do_pair(&d.leaf, &s.leaf, errand);
        else mpx__note_widths(&d, &s, errand);
    if (more == 0 && errand->pairing == MPX__NARROWS && errand->wider && !errand->narrower)
        return MPX_ERR_WIDER;
    if (more == 0) (void)mpx__fail(err, MPX_OK, 0, 0);
    return (mpx_status)more;
}

MPX__PRIVATE mpx_status mpx__run_errand(const mpx_tree *dst, const mpx_tree *src,
                                        mpx__errand *errand, mpx_error *err) {
    mpx_status status = mpx__pair_walk(dst, src, errand, 0, err);
    return status != MPX_OK ? status : mpx__pair_walk(dst, src, errand, 1, err);
}

MPX__PRIVATE mpx_status mpx__cast_errand(const mpx_tree *dst, const mpx_tree *src,
                                         mpx__pairing pairing, mpx_error *err) {
    mpx__errand errand;
    mpx__errand_set(&errand, pairing);
    return mpx__run_errand(dst, src, &errand, err);
}

MPX__API mpx_status mpx_tree_cast(mpx_tree dst, mpx_tree src, mpx_error *err) {
    return mpx__cast_errand(&dst, &src, MPX__NARROWS, err);
}

MPX__API mpx_status mpx_tree_widen(mpx_tree dst, mpx_tree src, mpx_error *err) {
    return mpx__cast_errand(&dst, &src, MPX__ANY_WIDTH, err);
}

MPX__API mpx_status mpx_tree_copy(mpx_tree dst, mpx_tree src, mpx_error *err) {
    return mpx__cast_errand(&dst, &src, MPX__SAME, err);
}

#if !MPX_NO_CAST_WITH
/* Can a leaf be cast in place? Bytes that hold several elements cannot be spread there, nor the
   reverse. */
MPX__PRIVATE int mpx__may_share(const mpx_leaf *d, const mpx_leaf *s, const mpx_cast_options *opt) {
    int to = mpx_dtype_bits(d->dtype) < 8 ? opt->dst_layout : MPX_LAYOUT_PACKED,
        from = mpx_dtype_bits(s->dtype) < 8 ? opt->src_layout : MPX_LAYOUT_PACKED;
    if (d->data != s->data || d->count == 0) return 1;
    return to == from && (d->dtype == s->dtype || to == MPX_LAYOUT_PACKED);
}

/* Cast one pair under options; without `work`, only check that they are allowed. Leaves that are
   not floating are copied. */
MPX__PRIVATE mpx_status mpx__pair_with(const mpx_leaf *d, const mpx_leaf *s,
                                       const mpx_cast_options *opt, int work) {
    int stays = d->data == s->data && d->dtype == s->dtype;
    if (!mpx_dtype_is_floating(d->dtype)) {
        if (work && !stays) (void)mpx_cast(d->data, d->dtype, s->data, s->dtype, s->count);
        return MPX_OK;
    }
    if (work && stays && !mpx__wants_stats(opt)) return MPX_OK;
    if (work) return mpx_cast_with(d->data, d->dtype, s->data, s->dtype, s->count, opt);
    if (!mpx__may_share(d, s, opt)) return MPX_ERR_ARGUMENT;
    return mpx__check_cast(d->dtype, s->dtype, s->count, mpx__block_of(s->count, opt), opt);
}

MPX__PRIVATE mpx_status mpx__pair_walk_with(const mpx_tree *dst, const mpx_tree *src,
                                            const mpx_cast_options *opt, int work,
                                            mpx_error *err) {
    mpx__walk d, s;
    mpx_cast_options now;
    int more;
    mpx__copy(&now, opt, sizeof now);
    mpx__walk_start(&d, dst, err);
    mpx__walk_start(&s, src, err);
    while ((more = mpx__pair_next(&d, &s, MPX__NARROWS)) > 0) {
        mpx_status status = mpx__pair_with(&d.leaf, &s.leaf, &now, work);
        if (status != MPX_OK) return mpx__leaf_fail(&d, status, MPX_NONE, MPX_NONE);
        now.offset += d.leaf.count;
    }
    return (mpx_status)more;
}

MPX__API mpx_status mpx_tree_cast_with(mpx_tree dst, mpx_tree src, const mpx_cast_options *opt,
                                       mpx_error *err) {
    mpx__errand errand;
    mpx_status status;
    if (opt == NULL) return mpx_tree_cast(dst, src, err);
    mpx__errand_set(&errand, MPX__NARROWS);
    status = mpx__pair_walk(&dst, &src, &errand, 0, err);
    if (status == MPX_OK) status = mpx__pair_walk_with(&dst, &src, opt, 0, err);
    return status != MPX_OK ? status : mpx__pair_walk_with(&dst, &src, opt, 1, err);
}
#endif /* !MPX_NO_CAST_WITH */

MPX__API mpx_status mpx_tree_select(mpx_tree dst, mpx_tree a, mpx_tree b, int pick_a,
                                    mpx_error *err) {
    mpx__errand errand;
    mpx_status status;
    mpx__errand_set(&errand, MPX__SAME);
    status = mpx__pair_walk(&dst, pick_a ? &b : &a, &errand, 0, err);
    return status != MPX_OK ? status : mpx__run_errand(&dst, pick_a ? &a : &b, &errand, err);
}

/* dst = src scaled by u (f32 bits); *finite and *sum, of squares, are set where they are wanted. */
MPX__PRIVATE mpx_status mpx__scale_tree(const mpx_tree *dst, const mpx_tree *src, uint32_t u,
                                        int divide, int *finite, double *sum, mpx_error *err) {
    mpx__errand errand;
    mpx_status status;
    mpx__errand_set(&errand, MPX__ANY_WIDTH);
    errand.scales = 1;
    errand.divide = divide;
    errand.asks_squares = sum != NULL;
    errand.u = u;
    status = mpx__run_errand(dst, src, &errand, err);
    if (status == MPX_OK && sum != NULL) mpx__write64(sum, errand.sum);
    if (status == MPX_OK && finite != NULL) *finite = !errand.not_finite;
    return status;
}

MPX__API mpx_status mpx_tree_scale(mpx_tree dst, mpx_tree src, float by, mpx_error *err) {
    return mpx__scale_tree(&dst, &src, mpx__opaque_bits(by), 0, NULL, NULL, err);
}

MPX__API mpx_status mpx_tree_unscale(mpx_tree dst, mpx_tree src, float by, int *finite,
                                     mpx_error *err) {
    return mpx__scale_tree(&dst, &src, mpx__opaque_bits(by), 1, finite, NULL, err);
}

#if !MPX_NO_REDUCE
MPX__API mpx_status mpx_tree_unscale_squares(mpx_tree dst, mpx_tree src, float by, int *finite,
                                             double *sum, mpx_error *err) {
    return mpx__scale_tree(&dst, &src, mpx__opaque_bits(by), 1, finite, sum, err);
}
/* Leaf by leaf, in the order of the walk; leaves without such a sum are skipped. */
MPX__API mpx_status mpx_tree_sum_squares(mpx_tree tree, double *sum, mpx_error *err) {
    mpx__walk walk;
    uint64_t bits = 0;
    int more;
    mpx__walk_start(&walk, &tree, err);
    while ((more = mpx__walk_next(&walk)) > 0) {
        double one;
        if (mpx_sum_squares(walk.leaf.data, walk.leaf.dtype, walk.leaf.count, &one) == MPX_OK)
            bits = mpx__f64_sum(bits, mpx__read64(&one));
    }
    if (more == 0) mpx__write64(sum, bits);
    return (mpx_status)more;
}

MPX__API mpx_status mpx_tree_clip(mpx_tree dst, mpx_tree src, float max_norm, double *norm,
                                  mpx_error *err) {
    const uint32_t most = mpx__opaque_bits(max_norm), one = 0x3f800000u;
    uint32_t factor = one;
    uint64_t bits;
    double sum;
    mpx_status status;
    if (most > 0x7f800000u) return mpx__fail_option(err, "max_norm");
    status = mpx_tree_sum_squares(src, &sum, err);
    if (status != MPX_OK) return status;
    bits = mpx__f64_root(mpx__read64(&sum));
    if (bits != 0 && bits >> 52 != 0x7ffu) mpx__clip_factor(&factor, &most, &bits);
    status = factor < one ? mpx__scale_tree(&dst, &src, factor, 0, NULL, NULL, err)
                          : mpx__cast_errand(&dst, &src, MPX__ANY_WIDTH, err);
    if (status == MPX_OK && norm != NULL) mpx__write64(norm, bits);
    return status;
}
#endif
#endif /* !MPX_NO_TREE */
