/*==================================================================*
 * MARK: default_policy - the policy of those who say none
 *   Every thread has its own copy if compiler and system have thread-local variables.
 *==================================================================*/
#if !MPX_NO_POLICY && !MPX_NO_DEFAULT_POLICY

static MPX__THREAD_LOCAL mpx_policy mpx__default_policy =
    MPX_POLICY(MPX_F32, MPX_F32, MPX_F32);

MPX__API mpx_policy mpx_default_policy_get(void) { return mpx__default_policy; }

MPX__API void mpx_default_policy_set(mpx_policy p) { mpx__default_policy = p; }

MPX__API mpx_policy mpx_policy_or_default(mpx_policy p) {
    int is_set = p.param != MPX_NONE || p.compute != MPX_NONE || p.output != MPX_NONE ||
                 p.quantization != MPX_QUANT_NONE;
    return is_set ? p : mpx__default_policy;
}

#endif /* !MPX_NO_POLICY && !MPX_NO_DEFAULT_POLICY */
