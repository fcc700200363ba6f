import sys,pathlib,tempfile,time
from rehearsal.process import server
from rehearsal.story.cdk import Cdk
from trnstack.environment import plan_file
f=pathlib.Path(sys.argv[1]).resolve(); p=plan_file(f)
def prog(*a): print("   ..",*a, flush=True)
d=pathlib.Path(tempfile.mkdtemp())
with server() as s:
    t=time.time()
    c=Cdk(s.environment(region=p.region), d, prog if len(sys.argv)>2 else (lambda *a: None))
    for words in (("bootstrap",f"aws://123456789012/{p.region}"),):
        r=c.run(*words,environment_file=f); print(r.command,r.status,round(r.seconds,1),r.stacks); print(r.last_lines if r.status else "\n".join(r.lines[-3:]))
    r=c.run("deploy","--all","--require-approval","never",environment_file=f); print(r.command,r.status,round(r.seconds,1),r.stacks); print("\n".join(r.lines) if len(sys.argv)>2 or r.status else "")
    import boto3
    ses=boto3.Session("AKIAREHEARSAL0000000","x",region_name=p.region)
    from rehearsal.survey import survey
    from rehearsal.tree import tree
    if not r.status: print(tree(survey(lambda n: ses.client(n,endpoint_url=s.endpoint))))
    print(open(f"/proc/{s.process_id}/status").read().split("VmHWM:")[1].split("\n")[0])
