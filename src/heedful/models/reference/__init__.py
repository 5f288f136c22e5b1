"""Scripted reference models: behaviour known by construction, so that they can prove the judge.

They play the same role as any served model. What an utterance asks for they take from
`ModelRequest.hint`; everything else they know from the messages.
"""
