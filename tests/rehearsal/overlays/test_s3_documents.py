"""What is read of the XML in requests to S3, and what is no document of its API."""

import pytest

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.s3_documents import read_document

LIFECYCLE, NOTIFICATION = "PutBucketLifecycleConfiguration", "PutBucketNotificationConfiguration"


def lifecycle(rules):
    return read_document(LIFECYCLE, f"<LifecycleConfiguration>{rules}</LifecycleConfiguration>".encode())


def test_members():
    """Structures are mappings, what repeats is a list though it comes once, the rest is text."""
    rule = (
        "<Status>Enabled</Status><Filter/><Transition><Days>30</Days><StorageClass>GLACIER</StorageClass></Transition>"
    )

    moves = [{"Days": "30", "StorageClass": "GLACIER"}]
    assert lifecycle(f"<Rule>{rule}</Rule>") == {"Rule": [{"Status": "Enabled", "Filter": {}, "Transition": moves}]}


def test_lists_in_an_element():
    """A list in an element of its own is read as one, too."""
    grants = '<TargetGrants><Grant><Grantee xsi:type="x" xmlns:xsi="y"><ID>a</ID></Grantee></Grant></TargetGrants>'
    logging = f"<LoggingEnabled><TargetBucket>b</TargetBucket><TargetPrefix/>{grants}</LoggingEnabled>"
    found = read_document("PutBucketLogging", f"<BucketLoggingStatus>{logging}</BucketLoggingStatus>".encode())

    target = {"TargetBucket": "b", "TargetPrefix": "", "TargetGrants": [{"Grantee": {"ID": "a"}}]}
    assert found == {"LoggingEnabled": target}


def test_unknown_elements():
    """What the API does not have is left out."""
    assert (
        read_document("PutBucketVersioning", b'<VersioningConfiguration a="b"><X>1</X></VersioningConfiguration>') == {}
    )


@pytest.mark.parametrize(
    "rules",
    [
        "",
        "text",
        "<Rule/>",
        "<Rule>text</Rule>",
        "<Rule><Status>Enabled</Status>text</Rule>",
        "<Rule><Status><X/></Status></Rule>",
        "<Rule><Status>Enabled</Status><Filter>text</Filter></Rule>",
        "<Rule><Status>Enabled</Status><Filter/><Filter/></Rule>",
        "<Rule><Status>Enabled</Status><Expiration><Days>ten</Days></Expiration></Rule>",
        "<Rule><Status>Enabled</Status><Expiration><Days/></Expiration></Rule>",
        "<Rule><Status>Enabled</Status><ID>a</ID><ID>b</ID></Rule>",
    ],
)
def test_malformed(rules):
    """Text for elements, words for numbers, one where it is said twice, and what must be there and is not."""
    with pytest.raises(OverlayError) as raised:
        lifecycle(rules)

    assert raised.value.code == "MalformedXML"


@pytest.mark.parametrize("body", [b"", b"<", b"<Other/>", b"\xff", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'])
def test_no_document(body):
    """What is no XML, or XML of something else."""
    with pytest.raises(OverlayError):
        read_document(NOTIFICATION, body)
