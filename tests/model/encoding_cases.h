#pragma once
// Small models with every entry of the catalogue, and with the ways in which entries can be combined.
#include "model/model_case.h"
#include "support/backend.h"

namespace phasor::testing_support {

inline std::vector<ModelCase> encoding_cases() {
  std::vector<ModelCase> all;
  const auto add = [&](const char* name, const char* encoding) -> ModelConfig& {
    all.push_back({name, small_model(encoding)});
    return all.back().config;
  };
  const auto add_causal = [&](const char* name, const char* encoding) { add(name, encoding).causal = true; };
  const auto add_grid = [&](const char* name, const char* encoding) {
    ModelConfig& config = add(name, encoding);
    config.grid = {3, 4};
    config.head_width = 8;
  };
  // The road to RoPE
  add("nope", "nope");
  add("integer", "integer");
  add("integer_normalised", "integer(normalised)");
  add("binary", "binary");
  add("binary_signed", "binary(signed)");
  add("sinusoidal", "sinusoidal");
  add("sinusoidal_halves_scaled", "sinusoidal(layout=halves,scale=0.5)");
  add("sinusoidal_scale_learned", "sinusoidal(scale=learned(0.5))");
  add("sinusoidal_halves_scale_learned", "sinusoidal(layout=halves,scale=learned(0.5))");
  add("learned", "learned");
  add("random", "random");
  add("concat_sinusoidal", "concat(sinusoidal,width=4)");
  add("concat_learned", "concat(learned(init=1),width=3)");
  add("concat_formula", "concat(input(\"a*cos(i*c)\",a=learned(1)),width=5)+learned");
  // Distance biases
  add("alibi", "alibi");
  add("alibi_released", "alibi(slopes=released)");
  add("alibi_learned", "alibi(slopes=learned)");
  add("t5", "t5(buckets=8,max_distance=6)");
  add("t5_layers", "t5(buckets=8,max_distance=6,sharing=layer,scale=one)");
  add_causal("t5_causal", "t5(buckets=4,max_distance=6)");
  add("relative", "relative");
  add("relative_clipped", "relative(max_distance=3,sharing=model)");
  add("kerple_log", "kerple(log)");
  add("kerple_power", "kerple(power)");
  add("sandwich", "sandwich");
  add_causal("fire", "fire(hidden=6)");
  add_causal("fire_beyond_threshold", "fire(hidden=6,threshold=3,sharing=model)");
  add_causal("fire_one_head", "fire(hidden=5)[heads=1]+alibi(slopes=learned)[heads=0,2]");
  add("bias_formula", "bias(\"-a*log(1+b*abs(d))\",a=1,b=learned(0.1,min=0.01))");
  add("bias_formula_per_head", "bias(\"-a*abs(d)^b\",a=learned(0.3,per=head),b=learned(1.2))[layers=1]");
  add("bias_formula_length", "bias(\"-a*abs(d)/n+sin(h+l)\",a=learned(2))");
  add("bias_formula_query", "bias(\"a*tanh(d/(1+i))\",a=learned(1,per=head))");
  // Gates
  add_causal("fox", "fox");
  add("fox_looking_ahead", "fox");
  add_causal("fox_bias", "fox(gate=bias,shortest=1,longest=9)");
  add("fox_fixed", "fox(gate=fixed)");
  add_causal("cable", "cable");
  add("cable_and_fox_by_head", "fox[heads=2]+cable[heads=0]+rope+alibi[layers=1]");
  add_causal("fox_one_layer", "learned+rope+fox[layers=1]");
  add("fox_with_latents", "mla+fox");
  // Angles of tokens
  add("selective_rope", "selective_rope(rank=3,base=100)");
  add_causal("selective_rope_gated", "selective_rope(rank=0,gate=sigmoid,layout=half,base=10)+fox");
  add_causal("selective_rope_beside_rope", "selective_rope(rank=2)[heads=0,2][layers=1]+rope[heads=1]");
  add_causal("repo", "repo(base=10)");
  add("repo_linear", "repo(linear,layout=half,base=5)[heads=1-2]+alibi");
  add("accumulated_random", "accumulated_random");
  // Vectors by distance, which other backends refuse
  if (tested_device() == kDefaultDevice) {
    add("shaw", "shaw");
    add("shaw_clipped_per_head", "shaw(max_distance=2,table=per_head)");
    add_causal("shaw_causal_some_heads", "shaw(max_distance=3)[heads=0,2]+alibi");
    add("shaw_and_rope", "shaw(max_distance=3,init=0.5)+rope[heads=0-1]");
    add("randomized_shaw", "randomized(shaw(max_distance=8),max=20)");
    add("transformer_xl", "transformer_xl(init=0.5)");
    add_causal("transformer_xl_causal", "transformer_xl(init=0.5,sharing=layer)");
    add("transformer_xl_some_heads", "transformer_xl(max_distance=3,base=50,init=0.5)[heads=0,2]+rope");
    add("deberta", "deberta(buckets=4,max_distance=6)");
    add_causal("deberta_shared", "deberta(buckets=0,max_distance=3,table=shared)[heads=1-2]");
    add("deberta_c2p", "deberta(c2p,buckets=4,max_distance=8)[layers=0]+transformer_xl[layers=1]");
    add("deberta_p2c_and_shaw", "deberta(p2c,buckets=4,max_distance=8)+shaw(max_distance=2)");
    add_causal("shaw_window", "shaw(max_distance=2)[window=3]+deberta(p2c,buckets=4,max_distance=6)");
    add("shaw_and_ssmax", "shaw(max_distance=3,init=0.5)+ssmax");
    add("transformer_xl_scaled", "transformer_xl(init=0.5)+scale(\"s*log(i+2)\",s=learned(1,per=head))");
    add_causal("deberta_scaled", "deberta(buckets=4,max_distance=6)[heads=0-1]+scale(\"1+a*i/9\",a=learned(0.3))+sink");
    add_causal("transformer_xl_and_selective_rope", "transformer_xl(init=0.5)+selective_rope(rank=2)[heads=0,2]+fox");
  }
  // Rotations
  add("rope", "rope");
  add("rope_half", "rope(layout=half)");
  add("rope_partial", "rope(fraction=0.5)");
  add("rope_learned", "rope(frequencies=learned)");
  add("rope_learned_half", "rope(frequencies=learned,layout=half,base=10)");
  add("rope_formula", "rope(frequencies=\"base^(-2*c/C)*(1+h)\",base=100)");
  add("rope_formula_learned", "rope(frequencies=\"base^(-2*c/C)\",base=learned(10))");
  add("rope_formula_per_head", "rope(frequencies=\"f*base^(-2*c/C)\",base=10,f=learned(1,per=head))[heads=0-1]");
  add("prope", "prope(0.5)");
  add_causal("xpos", "xpos");
  add("pope", "pope(phase=uniform)");
  add_causal("pope_causal_layer", "pope(phase=uniform,sharing=layer,base=50)");
  add("pope_without_phase", "pope(phase=none)[layers=1]+rope[layers=0]+alibi");
  add("pope_from_zero", "pope+sinusoidal");
  add("pope_by_segment", "segments(pope(phase=uniform),by=\"0,4\",axis=segment)+segments(learned,by=\"0,4\")");
  add("linear", "rope(scaling=linear,factor=2)");
  add("ntk", "rope(scaling=ntk,factor=2)");
  add("dynamic", "rope(scaling=dynamic,factor=2,original=4)");
  add("yarn", "rope(scaling=yarn,factor=4,original=6,beta_fast=2)");
  add("llama3", "rope(scaling=llama3,factor=4,original=16)");
  add("longrope", "rope(scaling=longrope,factor=2,original=4,short=\"1,1.5\",long=\"1,3\")");
  add_grid("rope_axial", "rope(axes=2)");
  add_grid("rope_sections", "rope(axes=2,map=sections,sections=\"1,3\",layout=half)");
  add_grid("rope_mixed", "rope(axes=2,map=mixed)");
  add_grid("rope_mixed_learned", "rope(axes=2,map=mixed,frequencies=learned)");
  add_grid("rope_axial_and_alibi", "rope(axes=2)[heads=0]+rope[heads=1]+alibi");
  // Factors by the query's position and the length. The cuda backend refuses them (engine/cuda/attention_support.h).
  const auto add_scaled = [&](const char* name, const char* encoding, bool causal = false) {
    if (tested_device() == kDefaultDevice) add(name, encoding).causal = causal;
  };
  add_scaled("scale_fixed", "scale(\"1+0.3*log(i+1)+h\")+rope");
  add_scaled("scale_learned", "scale(\"s*log(i+2)\",s=learned(1,per=head))+alibi");
  add_scaled("scale_learned_length", "scale(\"a*log(n+1)/(1+l)\",a=learned(0.5))");
  add_scaled("scale_learned_both", "scale(\"1+a*i/n\",a=learned(0.3,per=head))[heads=1]+logn(original=3)[heads=0,2]");
  add_scaled("scale_learned_alone", "scale(\"s\",s=learned(1.5,per=head))[layers=1]+llama4_scale(floor=3)[layers=0]");
  add_scaled("ssmax", "ssmax+rope");
  add_scaled("ssmax_causal", "ssmax(b=learned(0.5,per=head))+learned", true);
  add_scaled("ssmax_shared", "ssmax(s=shared,start=0.4)+t5(buckets=8,max_distance=6,scale=one)", true);
  add_scaled("logn_causal", "logn(original=3)+rope", true);
  add_scaled("llama4_scale", "rope[layers=0]+llama4_scale(floor=3)[layers=1]", true);
  add_scaled("llama4_scale_learned", "llama4_scale(beta=learned(0.4,per=head),floor=2,offset=0)+learned");
  add_scaled("scale_randomized", "randomized(scale(\"a*log(i+2)/log(n+1)\",a=learned(1)),max=20)+rope");
  add_scaled("scale_mla", "mla+scale(\"1+i/9\")");
  add("mla_yarn", "mla(scaling=yarn,factor=4,original=6,mscale=2,mscale_all_dim=1,attention_on=logits)");
  add("yarn_on_logits", "rope(fraction=0.5,scaling=yarn,factor=4,original=6,attention_on=logits)");
  // Decoupled paths
  add("mla", "mla");
  add("mla_half", "mla(kv=5,q=7,rope=6,layout=half)");
  add("mla_shared_query", "mla(query=shared)");
  add("mla_released", "learned(init=0)+mla(query=shared,table=released,norm=none)");
  add("mla_without_rotation", "mla(rope=0)");
  add("mla_one_layer", "mla[layers=1]+rope[layers=0]+alibi");
  // Wrappers and sums
  add("randomized_rope", "randomized(rope,max=30)");
  add("randomized_learned", "randomized(learned+relative,max=20)");
  add("randomized_beside_index", "randomized(rope,max=25)[heads=0]+rope[heads=1]+alibi+sinusoidal");
  add("randomized_before_index", "randomized(alibi,max=25)+rope");
  add_causal("randomized_fire", "randomized(fire(hidden=4,threshold=8),max=20)");
  add("scattered_rope", "scattered(rope)");
  add("scattered_sinusoidal", "scattered(sinusoidal)");
  add("scattered_relative_beside_index", "scattered(relative)+rope");
  add("segments_offset", "segments(rope,by=\"0,4\")");
  add("segments_bipe_rope", "segments(learned,by=\"0,4\",max=5)+segments(rope,by=\"0,4\",axis=segment)");
  add_causal("segments_bipe_alibi", "segments(sinusoidal,by=\"0,4\")+segments(alibi,by=\"0,4\",axis=segment)");
  add("segments_coordinates", "segments(rope(axes=2,map=sections,sections=\"1,1\"),by=\"3-5\",at=start,axis=both)");
  add("segments_abacus", "segments(learned,by=\"2-6\",at=inside,shift=7)+rope");
  add_causal("segments_packed", "segments(relative+rope(frequencies=learned),by=\"1\",at=start)[heads=0-1]");
  add("sinusoidal_rope", "sinusoidal+rope");
  add("rope_on_one_head", "rope[heads=0]");
  add("rope_of_two_widths", "rope[heads=0]+rope(fraction=0.5)[heads=1-2]");
  add("layers_differ", "rope[layers=0]+alibi[layers=1]");
  add("learned_and_alibi_and_relative", "learned+alibi(slopes=learned)+relative+rope");
  // Windows, chunks and sinks, which other backends refuse
  if (tested_device() == kDefaultDevice) {
    add("window", "rope[window=3]");
    add("window_of_two", "nope[layers=0,window=2]+rope[layers=1]");
    add("window_of_all", "alibi[window=100]");
    add_causal("window_causal", "alibi(slopes=learned)[window=4]");
    add("windows_that_meet", "nope[heads=0,window=2]+nope[layers=1,window=5]+relative");
    add("chunk", "rope(frequencies=learned)[chunk=4]");
    add_causal("chunk_and_window", "t5(buckets=4,max_distance=6)[heads=0-1,chunk=4]+rope[layers=1,window=3]");
    add("window_randomized", "randomized(rope,max=25)[window=3]+sinusoidal");
    add("window_mla", "mla[window=4]");
    add("sink", "rope+sink(start=0.7)");
    add("sink_fixed", "alibi+sink(start=0.5,logit=fixed)");
    add_causal("sinks_that_differ",
               "sink(start=1)[heads=1-2,layers=0]+sink(logit=fixed)[heads=0,layers=0]+relative[window=4]");
  }
  // With all logits of a head at hand, which other backends refuse
  if (tested_device() == kDefaultDevice) {
    add_causal("cope", "cope(max=3,init=0.5)");
    add_causal("cope_at_start", "cope");
    add_causal("cope_per_head", "cope(max=4,sharing=head,init=0.5)[heads=0,2]+rope+alibi(slopes=learned)");
    add_causal("cope_beside_everything",
               "cope(max=2,init=0.5)[layers=1]+rope(frequencies=learned)+fox[heads=1]+relative+ssmax+sink(start=0.4)");
    add_causal("cope_in_a_window", "cope(max=3,init=0.5)[window=4]+sinusoidal");
    add_causal("path", "path(rank=3)");
    add_causal("path_without_rank", "path(rank=0)[heads=1-2][layers=0]+rope(frequencies=learned)");
    add_causal("path_fox", "path+fox+t5(buckets=4,max_distance=6)[window=6]");
    add("self_extend", "self_extend(group=2,window=3)");
    add_causal("self_extend_half",
               "self_extend(group=3,window=4,layout=half,fraction=0.5,base=50)+alibi(slopes=learned)");
    add_causal("self_extend_on_one_head", "self_extend(group=2,window=2)[heads=1]+rope[heads=0,2]+ssmax");
    add("self_extend_randomized", "randomized(self_extend(group=2,window=5),max=20)");
    add("rerope", "rerope(window=3)");
    add_causal("rerope_leaky", "rerope(window=2,leak=0.25,layout=half)[layers=0]+rope(frequencies=learned)[layers=1]");
  }
  // Keys and values from the embeddings in every layer: one case for each place that an encoding can have
  const auto add_input_keys = [&](const char* name, const char* encoding) -> ModelConfig& {
    ModelConfig& config = add(name, encoding);
    config.kv_source = KvSource::input;
    config.final_norm = false;
    return config;
  };
  add_input_keys("input_keys_nope", "nope");
  add_input_keys("input_keys_learned", "learned");
  add_input_keys("input_keys_concat", "concat(learned(init=1),width=3)");
  add_input_keys("input_keys_relative", "relative+alibi(slopes=released)");
  add_input_keys("input_keys_rope", "sinusoidal(layout=halves,scale=learned(0.5))+rope");
  add_input_keys("input_keys_fox", "fox").causal = true;
  add_input_keys("input_keys_selective_rope", "selective_rope(rank=4)");
  add_input_keys("input_keys_one_head", "rope(frequencies=learned)[heads=0]").final_norm = true;
  return all;
}

}  // namespace phasor::testing_support
