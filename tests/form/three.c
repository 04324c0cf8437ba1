/* The main of a program of three parts, each a use.c with its own copy of mpx.h or sharing one. */
#ifdef __cplusplus
extern "C" {
#endif
int use_one(void);
int use_two(void);
int use_plain(void);
#ifdef __cplusplus
}
#endif
int main(void) {
    int wrong = use_one();
    if (wrong == 0) wrong = use_two();
    return wrong != 0 ? wrong : use_plain();
}
