#include "phasor/encoding/references.h"

#include <algorithm>
#include <map>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/encoding/catalogue.h"

namespace phasor {
namespace {

struct ArgumentReference {
  const char *entry, *argument, *value, *key;
};

// Of entries by their names; those that are not here have no paper.
const std::map<std::string_view, const char*>& entry_references() {
  static const std::map<std::string_view, const char*> keys = {
      {"nope", "haviv2022transformer"},
      {"integer", "fleetwood2024designed"},
      {"binary", "fleetwood2024designed"},
      {"sinusoidal", "vaswani2017attention"},
      {"learned", "gehring2017convolutional"},
      {"alibi", "press2021train"},
      {"t5", "raffel2019exploring"},
      {"relative", "liu2021swin"},
      {"kerple", "chi2022kerple"},
      {"sandwich", "chi2022dissecting"},
      {"fire", "li2023functional"},
      {"fox", "lin2025forgetting"},
      {"cable", "veisi2025context"},
      {"selective_rope", "movahedi2025selective"},
      {"repo", "li2025repo"},
      {"cope", "golovneva2024contextual"},
      {"path", "yang2025path"},
      {"accumulated_random", "godavarti2026accumulated"},
      {"rope", "su2021roformer"},
      {"prope", "barbero2024round"},
      {"xpos", "sun2022length"},
      {"self_extend", "jin2024llm"},
      {"rerope", "su2023rectified"},
      {"ssmax", "nakanishi2025scalable"},
      {"logn", "chiang2022overcoming"},
      {"llama4_scale", "meta2025llama4"},
      {"pope", "gopalakrishnan2025decoupling"},
      {"mla", "deepseek2024v2"},
      {"sink", "openai2025gptoss"},
      {"randomized", "ruoss2023randomized"},
      {"segments", "he2024two"},
  };
  return keys;
}

constexpr ArgumentReference kArgumentReferences[] = {
    {"rope", "scaling", "linear", "chen2023extending"}, {"rope", "scaling", "yarn", "peng2023yarn"},
    {"rope", "scaling", "llama3", "dubey2024llama"},    {"rope", "scaling", "longrope", "ding2024longrope"},
    {"rope", "map", "mixed", "heo2024rotary"},          {"rope", "map", "sections", "wang2024qwen2vl"},
    {"segments", "axis", "both", "zhang2024hirope"},    {"segments", "at", "inside", "mcleish2024transformers"},
    {"sink", "logit", "fixed", "xiao2023efficient"},
};

void add(std::vector<std::string>& list, const std::string& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

void add_references(const Encoding& encoding, EncodingReferences& found) {
  for (const Term& term : encoding.terms) {
    const auto own = entry_references().find(term.name);
    if (own != entry_references().end()) {
      add(found.keys, own->second);
    } else {
      add(found.without_paper, term.name);
    }
    if (term.window.tokens > 0) add(found.keys, "beltagy2020longformer");
    if (term.chunk.tokens > 0) add(found.keys, "meta2025llama4");
    for (const TermArgument& argument : term.arguments) {
      const std::string* word = argument.value.word();
      for (const ArgumentReference& reference : kArgumentReferences) {
        const bool is_it = term.name == reference.entry && argument.key == reference.argument;
        if (is_it && word != nullptr && *word == reference.value) add(found.keys, reference.key);
      }
      const EncodingEntry* entry = find_encoding(term.name);
      if (entry == nullptr) continue;
      // learned(0.1) within a formula's arguments is a number, not an encoding.
      const std::string_view name = parameter_name(argument, *entry);
      const bool takes_encoding =
          std::any_of(entry->parameters.begin(), entry->parameters.end(), [&](const EncodingParameter& parameter) {
            return parameter.name == name && parameter.kind == EncodingParameter::Kind::encoding;
          });
      const Encoding* nested = std::get_if<Encoding>(&argument.value.content);
      if (takes_encoding && nested != nullptr) add_references(*nested, found);
    }
  }
}

}  // namespace

const Fields<Reference>& json_fields(const Reference*) {
  using R = Reference;
  static const Fields<R> fields = {field("key", &R::key, "of the BibTeX entry"),
                                   field("authors", &R::authors, "`Last, First`; an organisation has no comma"),
                                   field("title", &R::title, "as published"),
                                   field("year", &R::year, "of the first version"),
                                   field("arxiv", &R::arxiv, "its number there; empty: it is not there"),
                                   field("venue", &R::venue, "where it was published besides; often empty"),
                                   field("url", &R::url, "of what is not on arXiv, else empty")};
  return fields;
}

const std::vector<Reference>& references() {
  static const std::vector<Reference> all = {
      {.key = kReproducedPaper,
       .authors = {"Gu, Zihan", "Chen, Ruoyu", "Zhang, Han", "Zhang, Hua", "Hu, Yue"},
       .title = "Deconstructing Positional Information: From Attention Logits to Training Biases",
       .year = 2025,
       .arxiv = "2505.13027",
       .venue = "ICLR 2026",
       .url = {}},
      {.key = "haviv2022transformer",
       .authors = {"Haviv, Adi", "Ram, Ori", "Press, Ofir", "Izsak, Peter", "Levy, Omer"},
       .title = "Transformer Language Models without Positional Encodings Still Learn Positional Information",
       .year = 2022,
       .arxiv = "2203.16634",
       .venue = "Findings of EMNLP 2022",
       .url = {}},
      {.key = "fleetwood2024designed",
       .authors = {"Fleetwood"},
       .title = "You could have designed state of the art positional encoding",
       .year = 2024,
       .arxiv = {},
       .venue = {},
       .url = "https://fleetwood.dev/posts/you-could-have-designed-SOTA-positional-encoding"},
      {.key = "vaswani2017attention",
       .authors = {"Vaswani, Ashish", "Shazeer, Noam", "Parmar, Niki", "Uszkoreit, Jakob", "Jones, Llion",
                   "Gomez, Aidan N.", "Kaiser, Lukasz", "Polosukhin, Illia"},
       .title = "Attention Is All You Need",
       .year = 2017,
       .arxiv = "1706.03762",
       .venue = {},
       .url = {}},
      {.key = "gehring2017convolutional",
       .authors = {"Gehring, Jonas", "Auli, Michael", "Grangier, David", "Yarats, Denis", "Dauphin, Yann N."},
       .title = "Convolutional Sequence to Sequence Learning",
       .year = 2017,
       .arxiv = "1705.03122",
       .venue = "ICML 2017",
       .url = {}},
      {.key = "press2021train",
       .authors = {"Press, Ofir", "Smith, Noah A.", "Lewis, Mike"},
       .title = "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation",
       .year = 2021,
       .arxiv = "2108.12409",
       .venue = {},
       .url = {}},
      {.key = "raffel2019exploring",
       .authors = {"Raffel, Colin", "Shazeer, Noam", "Roberts, Adam", "Lee, Katherine", "Narang, Sharan",
                   "Matena, Michael", "Zhou, Yanqi", "Li, Wei", "Liu, Peter J."},
       .title = "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
       .year = 2019,
       .arxiv = "1910.10683",
       .venue = {},
       .url = {}},
      {.key = "liu2021swin",
       .authors = {"Liu, Ze", "Lin, Yutong", "Cao, Yue", "Hu, Han", "Wei, Yixuan", "Zhang, Zheng", "Lin, Stephen",
                   "Guo, Baining"},
       .title = "Swin Transformer: Hierarchical Vision Transformer using Shifted Windows",
       .year = 2021,
       .arxiv = "2103.14030",
       .venue = {},
       .url = {}},
      {.key = "chi2022kerple",
       .authors = {"Chi, Ta-Chung", "Fan, Ting-Han", "Ramadge, Peter J.", "Rudnicky, Alexander I."},
       .title = "KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation",
       .year = 2022,
       .arxiv = "2205.09921",
       .venue = "NeurIPS 2022",
       .url = {}},
      {.key = "chi2022dissecting",
       .authors = {"Chi, Ta-Chung", "Fan, Ting-Han", "Rudnicky, Alexander I.", "Ramadge, Peter J."},
       .title = "Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis",
       .year = 2022,
       .arxiv = "2212.10356",
       .venue = "ACL 2023",
       .url = {}},
      {.key = "li2023functional",
       .authors = {"Li, Shanda", "You, Chong", "Guruganesh, Guru", "Ainslie, Joshua", "Ontanon, Santiago",
                   "Zaheer, Manzil", "Sanghai, Sumit", "Yang, Yiming", "Kumar, Sanjiv", "Bhojanapalli, Srinadh"},
       .title = "Functional Interpolation for Relative Positions Improves Long Context Transformers",
       .year = 2023,
       .arxiv = "2310.04418",
       .venue = {},
       .url = {}},
      {.key = "lin2025forgetting",
       .authors = {"Lin, Zhixuan", "Nikishin, Evgenii", "He, Xu Owen", "Courville, Aaron"},
       .title = "Forgetting Transformer: Softmax Attention with a Forget Gate",
       .year = 2025,
       .arxiv = "2503.02130",
       .venue = "ICLR 2025",
       .url = {}},
      {.key = "veisi2025context",
       .authors = {"Veisi, Ali", "Amirzadeh, Hamidreza", "Mansourian, Amir"},
       .title = "Context-aware Biases for Length Extrapolation",
       .year = 2025,
       .arxiv = "2503.08067",
       .venue = {},
       .url = {}},
      {.key = "movahedi2025selective",
       .authors = {"Movahedi, Sajad", "Carstensen, Timur", "Afzal, Arshia", "Hutter, Frank", "Orvieto, Antonio",
                   "Cevher, Volkan"},
       .title = "Selective Rotary Position Embedding",
       .year = 2025,
       .arxiv = "2511.17388",
       .venue = {},
       .url = {}},
      {.key = "li2025repo",
       .authors = {"Li, Huayang", "Zhao, Tianyu", "Sproat, Richard"},
       .title = "RePo: Language Models with Context Re-Positioning",
       .year = 2025,
       .arxiv = "2512.14391",
       .venue = {},
       .url = {}},
      {.key = "godavarti2026accumulated",
       .authors = {"Godavarti, Mahesh"},
       .title = "Why Do Accumulated Transformations Extrapolate?",
       .year = 2026,
       .arxiv = "2606.24975",
       .venue = {},
       .url = {}},
      {.key = "su2021roformer",
       .authors = {"Su, Jianlin", "Lu, Yu", "Pan, Shengfeng", "Murtadha, Ahmed", "Wen, Bo", "Liu, Yunfeng"},
       .title = "RoFormer: Enhanced Transformer with Rotary Position Embedding",
       .year = 2021,
       .arxiv = "2104.09864",
       .venue = {},
       .url = {}},
      {.key = "barbero2024round",
       .authors = {"Barbero, Federico", "Vitvitskyi, Alex", "Perivolaropoulos, Christos", "Pascanu, Razvan",
                   "Veli\u010dkovi\u0107, Petar"},
       .title = "Round and Round We Go! What makes Rotary Positional Encodings useful?",
       .year = 2024,
       .arxiv = "2410.06205",
       .venue = {},
       .url = {}},
      {.key = "sun2022length",
       .authors = {"Sun, Yutao", "Dong, Li", "Patra, Barun", "Ma, Shuming", "Huang, Shaohan", "Benhaim, Alon",
                   "Chaudhary, Vishrav", "Song, Xia", "Wei, Furu"},
       .title = "A Length-Extrapolatable Transformer",
       .year = 2022,
       .arxiv = "2212.10554",
       .venue = {},
       .url = {}},
      {.key = "deepseek2024v2",
       .authors = {"DeepSeek-AI"},
       .title = "DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model",
       .year = 2024,
       .arxiv = "2405.04434",
       .venue = {},
       .url = {}},
      {.key = "ruoss2023randomized",
       .authors = {"Ruoss, Anian", "Del\u00e9tang, Gr\u00e9goire", "Genewein, Tim", "Grau-Moya, Jordi",
                   "Csord\u00e1s, R\u00f3bert", "Bennani, Mehdi", "Legg, Shane", "Veness, Joel"},
       .title = "Randomized Positional Encodings Boost Length Generalization of Transformers",
       .year = 2023,
       .arxiv = "2305.16843",
       .venue = {},
       .url = {}},
      {.key = "gopalakrishnan2025decoupling",
       .authors = {"Gopalakrishnan, Anand", "Csord\u00e1s, R\u00f3bert", "Schmidhuber, J\u00fcrgen",
                   "Mozer, Michael C."},
       .title = "Decoupling the \"What\" and \"Where\" With Polar Coordinate Positional Embeddings",
       .year = 2025,
       .arxiv = "2509.10534",
       .venue = {},
       .url = {}},
      {.key = "he2024two",
       .authors = {"He, Zhenyu", "Feng, Guhao", "Luo, Shengjie", "Yang, Kai", "Wang, Liwei", "Xu, Jingjing",
                   "Zhang, Zhi", "Yang, Hongxia", "He, Di"},
       .title = "Two Stones Hit One Bird: Bilevel Positional Encoding for Better Length Extrapolation",
       .year = 2024,
       .arxiv = "2401.16421",
       .venue = {},
       .url = {}},
      {.key = "mcleish2024transformers",
       .authors = {"McLeish, Sean", "Bansal, Arpit", "Stein, Alex", "Jain, Neel", "Kirchenbauer, John",
                   "Bartoldson, Brian R.", "Kailkhura, Bhavya", "Bhatele, Abhinav", "Geiping, Jonas",
                   "Schwarzschild, Avi", "Goldstein, Tom"},
       .title = "Transformers Can Do Arithmetic with the Right Embeddings",
       .year = 2024,
       .arxiv = "2405.17399",
       .venue = {},
       .url = {}},
      {.key = "zhang2024hirope",
       .authors = {"Zhang, Kechi", "Li, Ge", "Zhang, Huangzhao", "Jin, Zhi"},
       .title = "HiRoPE: Length Extrapolation for Code Models Using Hierarchical Position",
       .year = 2024,
       .arxiv = "2403.19115",
       .venue = {},
       .url = {}},
      {.key = "openai2025gptoss",
       .authors = {"OpenAI"},
       .title = "gpt-oss-120b & gpt-oss-20b Model Card",
       .year = 2025,
       .arxiv = "2508.10925",
       .venue = {},
       .url = {}},
      {.key = "xiao2023efficient",
       .authors = {"Xiao, Guangxuan", "Tian, Yuandong", "Chen, Beidi", "Han, Song", "Lewis, Mike"},
       .title = "Efficient Streaming Language Models with Attention Sinks",
       .year = 2023,
       .arxiv = "2309.17453",
       .venue = "ICLR 2024",
       .url = {}},
      {.key = "beltagy2020longformer",
       .authors = {"Beltagy, Iz", "Peters, Matthew E.", "Cohan, Arman"},
       .title = "Longformer: The Long-Document Transformer",
       .year = 2020,
       .arxiv = "2004.05150",
       .venue = {},
       .url = {}},
      {.key = "meta2025llama4",
       .authors = {"Meta AI"},
       .title = "The Llama 4 herd: The beginning of a new era of natively multimodal AI innovation",
       .year = 2025,
       .arxiv = {},
       .venue = {},
       .url = "https://ai.meta.com/blog/llama-4-multimodal-intelligence/"},
      {.key = "chen2023extending",
       .authors = {"Chen, Shouyuan", "Wong, Sherman", "Chen, Liangjian", "Tian, Yuandong"},
       .title = "Extending Context Window of Large Language Models via Positional Interpolation",
       .year = 2023,
       .arxiv = "2306.15595",
       .venue = {},
       .url = {}},
      {.key = "peng2023yarn",
       .authors = {"Peng, Bowen", "Quesnelle, Jeffrey", "Fan, Honglu", "Shippole, Enrico"},
       .title = "YaRN: Efficient Context Window Extension of Large Language Models",
       .year = 2023,
       .arxiv = "2309.00071",
       .venue = {},
       .url = {}},
      {.key = "dubey2024llama",
       .authors = {"Dubey, Abhimanyu", "others"},
       .title = "The Llama 3 Herd of Models",
       .year = 2024,
       .arxiv = "2407.21783",
       .venue = {},
       .url = {}},
      {.key = "ding2024longrope",
       .authors = {"Ding, Yiran", "Zhang, Li Lyna", "Zhang, Chengruidong", "Xu, Yuanyuan", "Shang, Ning", "Xu, Jiahang",
                   "Yang, Fan", "Yang, Mao"},
       .title = "LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens",
       .year = 2024,
       .arxiv = "2402.13753",
       .venue = {},
       .url = {}},
      {.key = "heo2024rotary",
       .authors = {"Heo, Byeongho", "Park, Song", "Han, Dongyoon", "Yun, Sangdoo"},
       .title = "Rotary Position Embedding for Vision Transformer",
       .year = 2024,
       .arxiv = "2403.13298",
       .venue = "ECCV 2024",
       .url = {}},
      {.key = "wang2024qwen2vl",
       .authors = {"Wang, Peng", "Bai, Shuai", "Tan, Sinan", "Wang, Shijie", "Fan, Zhihao", "Bai, Jinze", "Chen, Keqin",
                   "Liu, Xuejing", "Wang, Jialin", "Ge, Wenbin", "Fan, Yang", "Dang, Kai", "Du, Mengfei",
                   "Ren, Xuancheng", "Men, Rui", "Liu, Dayiheng", "Zhou, Chang", "Zhou, Jingren", "Lin, Junyang"},
       .title = "Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any Resolution",
       .year = 2024,
       .arxiv = "2409.12191",
       .venue = {},
       .url = {}},
      {.key = "nakanishi2025scalable",
       .authors = {"Nakanishi, Ken M."},
       .title = "Scalable-Softmax Is Superior for Attention",
       .year = 2025,
       .arxiv = "2501.19399",
       .venue = {},
       .url = {}},
      {.key = "chiang2022overcoming",
       .authors = {"Chiang, David", "Cholak, Peter"},
       .title = "Overcoming a Theoretical Limitation of Self-Attention",
       .year = 2022,
       .arxiv = "2202.12172",
       .venue = "ACL 2022",
       .url = {}},
      {.key = "golovneva2024contextual",
       .authors = {"Golovneva, Olga", "Wang, Tianlu", "Weston, Jason", "Sukhbaatar, Sainbayar"},
       .title = "Contextual Position Encoding: Learning to Count What's Important",
       .year = 2024,
       .arxiv = "2405.18719",
       .venue = {},
       .url = {}},
      {.key = "yang2025path",
       .authors = {"Yang, Songlin", "Shen, Yikang", "Wen, Kaiyue", "Tan, Shawn", "Mishra, Mayank", "Ren, Liliang",
                   "Panda, Rameswar", "Kim, Yoon"},
       .title = "PaTH Attention: Position Encoding via Accumulating Householder Transformations",
       .year = 2025,
       .arxiv = "2505.16381",
       .venue = {},
       .url = {}},
      {.key = "jin2024llm",
       .authors = {"Jin, Hongye", "Han, Xiaotian", "Yang, Jingfeng", "Jiang, Zhimeng", "Liu, Zirui", "Chang, Chia-Yuan",
                   "Chen, Huiyuan", "Hu, Xia"},
       .title = "LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning",
       .year = 2024,
       .arxiv = "2401.01325",
       .venue = "ICML 2024",
       .url = {}},
      {.key = "su2023rectified",
       .authors = {"Su, Jianlin"},
       .title = "Rectified Rotary Position Embeddings",
       .year = 2023,
       .arxiv = {},
       .venue = {},
       .url = "https://github.com/bojone/rerope"},
  };
  return all;
}

const Reference& find_reference(std::string_view key) {
  const std::vector<Reference>& all = references();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Reference& one) { return one.key == key; });
  if (found == all.end()) fail("there is no reference '{}'", key);
  return *found;
}

EncodingReferences references_of(const Encoding& encoding) {
  EncodingReferences found;
  add_references(encoding, found);
  return found;
}

}  // namespace phasor
