"""The two spellings of a taint's effect: EKS's in the template, Kubernetes' in pods and in what kubectl shows."""


def kubernetes_effect(effect: str) -> str:
    """Returns a taint's effect in Kubernetes' spelling, which tolerations need: ``NO_SCHEDULE`` is ``NoSchedule``.

    Raises:
        KeyError: EKS has no such effect.

    Source: EKS API reference, Taint, ``effect``; Kubernetes API reference, Taint, ``effect``.
    """
    return {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}[effect]
