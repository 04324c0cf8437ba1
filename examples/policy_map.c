/* One policy for each tensor of a real speech model (silero-vad: its fifteen tensors and their
   sizes), said in six lines of text; which line decided each tensor, which line met none, and the
   bytes before and after.

       cc -O2 -I. examples/policy_map.c -o policy_map

   prints

       'stft_conv.weight': 'stft_conv.*' decides: p=f32,c=f32,o=f32
       'conv1.weight': 'conv[1-4].weight' decides: p=f32,c=f16,o=f32
       'conv1.bias': '*.bias*' decides: p=f32,c=f32,o=f32
       'conv2.weight': 'conv[1-4].weight' decides: p=f32,c=f16,o=f32
       'conv2.bias': '*.bias*' decides: p=f32,c=f32,o=f32
       'conv3.weight': 'conv[1-4].weight' decides: p=f32,c=f16,o=f32
       'conv3.bias': '*.bias*' decides: p=f32,c=f32,o=f32
       'conv4.weight': 'conv[1-4].weight' decides: p=f32,c=f16,o=f32
       'conv4.bias': '*.bias*' decides: p=f32,c=f32,o=f32
       'lstm_cell.weight_ih': 'lstm_cell.weight_?h' decides: p=f32,c=f8e4m3fn,o=f32
       'lstm_cell.weight_hh': 'lstm_cell.weight_?h' decides: p=f32,c=f8e4m3fn,o=f32
       'lstm_cell.bias_ih': '*.bias*' decides: p=f32,c=f32,o=f32
       'lstm_cell.bias_hh': '*.bias*' decides: p=f32,c=f32,o=f32
       'final_conv.weight': no key matches: p=f32,c=bf16,o=f32
       'final_conv.bias': '*.bias*' decides: p=f32,c=f32,o=f32
       no tensor: lstm.weight_*
       1238532 bytes of f32 become 623108
*/
#define MPX_IMPLEMENTATION
#include "mpx.h"
#include <stdio.h>

static const char wishes[] = "default = p=f32,c=bf16,o=f32\n"
                             "stft_conv.* = f32               # the Fourier transform\n"
                             "conv[1-4].weight = p=f32,c=f16,o=f32\n"
                             "lstm_cell.weight_?h = p=f32,c=f8e4m3fn,o=f32\n"
                             "*.bias* = f32\n"
                             "lstm.weight_* = f16             # misspelt\n";

enum { TENSORS = 15, VALUES = 309633, KEYS_MAX = 16 };
static const mpx_tensor tensors[TENSORS] = {
    { "stft_conv.weight", 0, 66048 },         { "conv1.weight", 66048, 49536 },
    { "conv1.bias", 115584, 128 },            { "conv2.weight", 115712, 24576 },
    { "conv2.bias", 140288, 64 },             { "conv3.weight", 140352, 12288 },
    { "conv3.bias", 152640, 64 },             { "conv4.weight", 152704, 24576 },
    { "conv4.bias", 177280, 128 },            { "lstm_cell.weight_ih", 177408, 65536 },
    { "lstm_cell.weight_hh", 242944, 65536 }, { "lstm_cell.bias_ih", 308480, 512 },
    { "lstm_cell.bias_hh", 308992, 512 },     { "final_conv.weight", 309504, 128 },
    { "final_conv.bias", 309632, 1 },
};
static float weights[VALUES];
static unsigned char storage[sizeof weights];

int main(void) {
    mpx_map_entry entries[KEYS_MAX];
    mpx_policy nothing = MPX_POLICY(MPX_NONE, MPX_NONE, MPX_NONE);
    mpx_policy_map map = mpx_policy_map_of(entries, KEYS_MAX, nothing);
    mpx_leaf leaves[TENSORS], low_leaves[TENSORS];
    mpx_tree model = mpx_tree_of_leaves(leaves, TENSORS), low;
    mpx_arena arena = mpx_arena_of(storage, sizeof storage, low_leaves, TENSORS);
    mpx_tree_size before, after;
    mpx_error err;
    char text[MPX_ERROR_TEXT_SIZE];
    size_t i;

    if (mpx_policy_map_parse(&map, wishes, &err) != MPX_OK) {
        mpx_error_format(&err, wishes, text, sizeof text);
        printf("line %u: %s\n", (unsigned)mpx_error_line(&err, wishes), text);
        return 1;
    }
    mpx_leaves_of_tensors(leaves, tensors, TENSORS, weights, MPX_F32);
    for (i = 0; i < TENSORS; i++) {
        mpx_policy_map_explain(&map, tensors[i].name, text, sizeof text);
        printf("%s\n", text);
    }
    if (mpx_policy_map_count_leaves(&map, model, NULL) != MPX_OK) return 1;
    for (i = 0; i < map.count; i++)
        if (entries[i].leaves == 0) printf("no tensor: %.*s\n", (int)entries[i].length, entries[i].key);

    if (mpx_policy_map_cast_into(&low, model, &map, MPX_ROLE_COMPUTE, &arena, NULL) != MPX_OK) return 1;
    if (mpx_tree_measure(model, MPX_NONE, &before, NULL) != MPX_OK) return 1;
    if (mpx_tree_measure(low, MPX_NONE, &after, NULL) != MPX_OK) return 1;
    printf("%lu bytes of f32 become %lu\n", (unsigned long)before.bytes, (unsigned long)after.bytes);
    return 0;
}
