"""The connecting games Jie Long, Che Deng and Kkori: one line of Chinese tiles, judged and settled."""
