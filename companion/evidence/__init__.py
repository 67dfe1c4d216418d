"""Pictures for disputes: the table at a play and just before it, and each played tile from close by.

Reading order: files (what may lie beside a journal), deleting (on a disk that refuses), closeups (a tile before and
after it was laid), store (what is kept, for how long, and how it is deleted).
"""

from companion.evidence.closeups import CloseUps
from companion.evidence.store import (
    PICTURE,
    Deleter,
    EvidenceSettings,
    EvidenceStatus,
    EvidenceStore,
    delete_stored,
    expire_stored,
    found,
)

__all__ = [
    "PICTURE",
    "CloseUps",
    "Deleter",
    "EvidenceSettings",
    "EvidenceStatus",
    "EvidenceStore",
    "delete_stored",
    "expire_stored",
    "found",
]
