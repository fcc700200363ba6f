import sys,pathlib,tempfile,threading,os
from werkzeug.serving import make_server
from rehearsal.server import *
from rehearsal.story.cdk import Cdk
R = Rehearsal(handler_for=handler_for, overlay_for=overlay_for, hold_seconds=20)
def app(env,start):
    st=[]
    def sr(s,h,e=None): st.append(s); return start(s,h)
    out=b"".join(R.application(env,sr))
    if not st[0].startswith("2"): print(env["REQUEST_METHOD"],env["PATH_INFO"],{k:v for k,v in env.items() if k.startswith("HTTP_X")},st,out[:400],file=sys.stderr,flush=True)
    return [out]
s=make_server("127.0.0.1",0,app,threaded=True,request_handler=QuietRequestHandler); threading.Thread(target=s.serve_forever,daemon=True).start()
f=pathlib.Path(sys.argv[1]).resolve(); d=pathlib.Path(tempfile.mkdtemp())
from rehearsal.process import RunningServer
c=Cdk(RunningServer(s.server_port,0).environment(region="us-east-2"),d,lambda *a:None)
print(c.run("bootstrap","aws://123456789012/us-east-2",environment_file=f).last_lines[-300:])
r=c.run("deploy","--all","--require-approval","never",environment_file=f); print(r.status, r.last_lines[-500:])
