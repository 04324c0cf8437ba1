/*==========================================================================*
 * MARK: above - what uses the casts                                         *
 *   The rooms below call them, and are compiled for size: a policy is read  *
 *   once, and a tree is walked in less time than one of its leaves takes.   *
 *==========================================================================*/
#undef MPX__PRIVATE
#define MPX__PRIVATE static MPX__UNUSED MPX__COLD
