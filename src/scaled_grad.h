/*==================================================================*
 * MARK: scaled_grad - a step under a loss scale, done again if need be
 *   The caller's callback computes the gradients. The order of the steps is that of jaxamp's
 *   dynamic_scale_grad and dynamic_scale_value_and_grad.
 *==================================================================*/
#if !MPX_NO_LOSS_SCALE && !MPX_NO_TREE

/* As the scale's own finite test: Axon's lets NaN pass. */
MPX__PRIVATE mpx_status mpx__tree_passes(const mpx_loss_scale *s, const mpx_tree *tree, int *passes,
                                         mpx_error *err) {
    int infinite = 0;
    mpx_status status;
    if (s->dialect != MPX_DIALECT_AXON) return mpx_tree_all_finite(*tree, passes, err);
    status = mpx_tree_any_infinite(*tree, &infinite, err);
    if (status == MPX_OK) *passes = !infinite;
    return status;
}

MPX__INLINE int mpx__loss_passes(const mpx_loss_scale *s, const float *loss) {
    uint32_t u = mpx__read32(loss);
    return s->dialect == MPX_DIALECT_AXON ? u << 1 != MPX__F32_INF << 1 : mpx__is_finite(u);
}

/* Evaluate, unscale by the same state, and check the whole result: the unscaled gradients, the
   auxiliary values and, if asked for, the loss. */
MPX__PRIVATE mpx_status mpx__grad_once(const mpx_loss_scale *s, const mpx_grad_call *call,
                                       mpx_grad_result *out, mpx_error *err) {
    int grads_pass = 1, aux_passes = 1;
    mpx_status status = call->evaluate(*s, &out->loss, call->user);
    if (status != MPX_OK) return mpx__fail_at(err, status, MPX_SUBJECT_NODE, (size_t)-1);
    status = mpx_loss_scale_unscale_tree(call->grads, call->scaled_grads, *s, &grads_pass, err);
    if (status == MPX_OK) status = mpx__tree_passes(s, &call->aux, &aux_passes, err);
    if (status != MPX_OK) return status;
    (void)mpx_loss_scale_unscale_n(&out->loss, MPX_F32, &out->loss, MPX_F32, 1, *s, NULL);
    out->finite = grads_pass && aux_passes && (!call->check_loss || mpx__loss_passes(s, &out->loss));
    return MPX_OK;
}

/* The state is adjusted after every evaluation, the last too. */
MPX__API mpx_status mpx_loss_scale_grad(mpx_loss_scale *scale, const mpx_grad_call *call,
                                        mpx_grad_result *result, mpx_error *err) {
    mpx_loss_scale s = *scale;
    mpx_grad_result out;
    out.evaluations = 0;
    do {
        mpx_status status;
        mpx__zero(&out.loss, sizeof out.loss);
        status = mpx__grad_once(&s, call, &out, err);
        if (status != MPX_OK) return status;
        s = mpx_loss_scale_adjust(s, out.finite);
        out.evaluations++;
    } while (!out.finite && out.evaluations <= call->redo_on_nan);
    *scale = s;
    if (result != NULL) *result = out;
    return MPX_OK;
}

#endif /* !MPX_NO_LOSS_SCALE && !MPX_NO_TREE */
