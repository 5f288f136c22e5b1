"""The VIMA policy, for its authors' own weights: plain torch, nothing fetched, no code taken from a file.

Needs the extra `vima`. The bottom is `config`, `keys` (what a checkpoint must hold) and the layers; `model`
puts them together, `checkpoint` fills it, `prompt` and `crops` make its inputs, `policy` is the policy.

Source: Jiang et al. 2023, "VIMA: Robot Manipulation with Multimodal Prompts".
"""
