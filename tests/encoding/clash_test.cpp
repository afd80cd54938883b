// Two terms on a place that holds one thing: an error that names both and points at the second.
#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"

namespace phasor {
namespace clash_test {

struct Clash {
  std::string text;      // canonical
  std::string expected;  // after "encoding '<text>': "
};

const std::vector<Clash> kClashes = {
    {"rope+rope(base=500)",
     "column 6: 'rope' (column 1) and 'rope(base=500)' both rotate head 0 of layer 0; give them different heads or "
     "layers"},
    {"rope[heads=0-2]+rope(base=500)[heads=2-3,layers=1]",
     "column 17: 'rope[heads=0-2]' (column 1) and 'rope(base=500)[heads=2-3,layers=1]' both rotate head 2 of layer 1; "
     "give them different heads or layers"},
    {"rope[heads=1]+xpos[heads=1-3]",
     "column 15: 'rope[heads=1]' (column 1) and 'xpos[heads=1-3]' both rotate head 1 of layer 0; give them different "
     "heads or layers"},
    {"rope[layers=2]+mla[layers=2]",
     "column 16: 'rope[layers=2]' (column 1) and 'mla[layers=2]' both rotate head 0 of layer 2; give them different "
     "heads or layers"},
    {"prope+randomized(rope[heads=3],max=64)",
     "column 18: 'prope' (column 1) and 'rope[heads=3]' both rotate head 3 of layer 0; give them different heads or "
     "layers"},
    {"rope[chunk=6]+alibi[heads=2,chunk=8]",
     "column 29: 'rope[chunk=6]' (column 1) and 'alibi[heads=2,chunk=8]' both cut the sequence of head 2 of layer 0 "
     "into chunks, and neither length divides the other"},
    {"sink+sink(start=1)[heads=3]",
     "column 6: 'sink' (column 1) and 'sink(start=1)[heads=3]' both are the sink of head 3 of layer 0; give them "
     "different heads or layers"},
    {"concat(sink,width=4)", "column 8: concat takes terms that are added to the embeddings, and no sink"},
    {"concat(sinusoidal[window=3],width=4)",
     "column 19: concat takes terms that are added to the embeddings; give windows and chunks to concat itself"},
    {"mla(kv=8,rope=0)+mla(rope=0)",
     "column 18: 'mla(kv=8,rope=0)' (column 1) and 'mla(rope=0)' both make the queries and keys of layer 0; give them "
     "different layers"},
    {"shaw[heads=0]+transformer_xl[heads=1]",
     "column 15: 'shaw[heads=0]' (column 1) and 'transformer_xl[heads=1]' both multiply the queries of layer 0 with "
     "vectors by distance; give them different layers"},
    {"deberta+deberta(which=p2c)[layers=2]",
     "column 9: 'deberta' (column 1) and 'deberta(which=p2c)[layers=2]' both multiply the keys of layer 2 with vectors "
     "by distance; give them different layers"},
    {"shaw+mla[layers=1]",
     "column 6: 'mla[layers=1]' makes the queries and keys of layer 1 out of latents, which 'shaw' has no vectors for; "
     "give them different layers"},
    {"deberta(which=p2c)+pope[layers=1]",
     "column 20: 'pope[layers=1]' makes features of the queries and keys of layer 1, which 'deberta(which=p2c)' has no "
     "vectors for; give them different layers"},
    {"transformer_xl[heads=0]+pope",
     "column 25: 'pope' makes features of the queries and keys of layer 0, which 'transformer_xl[heads=0]' has no "
     "vectors for; give them different layers"},
    {"shaw+self_extend[layers=1]",
     "column 6: self_extend has no vectors by distance, which shaw has in layer 1; give them different layers"},
    {"sinusoidal+randomized(learned,max=64)",
     "column 23: 'sinusoidal' (column 1) and 'learned' both add to the embeddings, but by different positions"},
    {"randomized(sinusoidal,max=32)+randomized(sinusoidal,max=64)",
     "column 42: 'sinusoidal' (column 12) and 'sinusoidal' both add to the embeddings, but by different positions"},
    {"alibi[layers=1-2]+randomized(t5[heads=1],max=64)[layers=2]",
     "column 30: 'alibi[layers=1-2]' (column 1) and 't5[heads=1]' both bias the logits of layer 2, but by different "
     "positions"},
};

std::string resolve_error(const std::string& text) {
  const EncodingShape shape{.layers = 3, .heads = 4, .head_width = 8, .width = 32, .positions = 10};
  try {
    resolve(parse_encoding(text), shape);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Clash, NamesBothTermsAndThePlace) {
  for (const Clash& clash : kClashes) {
    ASSERT_EQ(print(parse_encoding(clash.text)), clash.text) << "columns are those of the canonical text";
    EXPECT_EQ(resolve_error(clash.text), "encoding '" + clash.text + "': " + clash.expected);
  }
}

TEST(Clash, DifferentHeadsAndLayersDoNotMeet) {
  for (const std::string text :
       {"rope[heads=0-1]+rope(base=500)[heads=2-3]", "rope[layers=0]+rope(base=500)[layers=1-2]",
        "rope[layers=0-1]+mla[layers=2]", "shaw[layers=0]+pope[layers=1-2]", "mla[layers=0]+mla(rope=0)[layers=1-2]",
        "mla(rope=0)+rope", "randomized(rope[heads=0],max=64)+rope[heads=1-3]",
        "alibi[layers=0]+randomized(alibi,max=64)[layers=1-2]", "randomized(rope,max=64)+alibi+sinusoidal",
        "learned+learned(init=1)"}) {
    EXPECT_EQ(resolve_error(text), "no error") << text;
  }
}

}  // namespace clash_test
}  // namespace phasor
