/*==================================================================*
 * MARK: above - what uses the casts
 *   The rooms below call the casts and are compiled for size: a policy is read once, and walking a
 *   tree takes less time than casting one of its leaves.
 *==================================================================*/
#undef MPX__PRIVATE
#define MPX__PRIVATE static MPX__UNUSED MPX__COLD
