/* An inference engine at load time: which weight overflows in f16 before shipping, where the casts
   go, and why; weights that need no cast stay where they are mapped. */
#include "client.h"

enum { N = 64 };
static float conv[N], head[N];

int main(void) {
    static const size_t to_conv[2] = { 0, 1 }, to_softmax[1] = { 2 };
    mpx_amp_node nodes[4] = { { "input", "", NULL, 0, MPX_F32, N, 0 },
                              { "weight", "conv", NULL, 0, MPX_F32, N, MPX_AMP_NODE_CONSTANT },
                              { "Convolution", "conv", to_conv, 2, MPX_F32, N, 0 },
                              { "Softmax", "head", to_softmax, 1, MPX_F32, N, 0 } };
    mpx_amp_graph graph = mpx_amp_graph_of_nodes(nodes, 4);
    mpx_leaf leaves[2] = { { "conv.w", conv, N, MPX_F32 }, { "head.w", head, N, MPX_F32 } };
    mpx_cast_report worst;
    mpx_amp_rule rules[2];
    mpx_amp amp = MPX_ZERO;
    mpx_amp_plan plan;
    mpx_error err;
    size_t size, count;
    char text[1000];
    void *memory;
    conv[7] = 70000;
    if (mpx_tree_dry_run(mpx_tree_of_leaves(leaves, 2), MPX_F16, &worst, 1, &count, &err) != MPX_OK)
        return 1;
    mpx_cast_report_format(&worst, text, sizeof text);
    puts(text);
    expect(strcmp(worst.path, "conv.w") == 0 && worst.stats.overflowed == 1);
    amp.rules = rules, amp.compute = MPX_F16;
    if (mpx_amp_rules_parse("Convolution = compute, Softmax = f32", rules, 2, &amp.rule_count, &err) !=
        MPX_OK)
        return 1;
    if (mpx_amp_plan_size(graph, &size, &err) != MPX_OK || (memory = malloc(size)) == NULL) return 1;
    if (mpx_amp_plan_graph(&amp, graph, memory, size, &plan, &err) != MPX_OK) return free(memory), 1;
    expect(mpx_amp_explain(&plan, graph, text, sizeof text) < sizeof text);
    fputs(text, stdout);
    expect(plan.nodes[2].dtype == MPX_F16 && plan.nodes[3].dtype == MPX_F32);
    free(memory);
    return 0;
}
