'use strict';
// The stacks of environments/llama3-8b-trn1.yaml, written by hand in JavaScript with the typed classes of aws-cdk-lib:
// what trnstack is measured against. No plan, no file to read: every value stands in the code.

const { App } = require('aws-cdk-lib');
const { ClusterStack } = require('./direct/cluster');
const { NetworkStack } = require('./direct/network');
const { NodesStack } = require('./direct/nodes');
const { StorageStack } = require('./direct/storage');

const app = new App();
const network = new NetworkStack(app);
const storage = new StorageStack(app);
const cluster = new ClusterStack(app);
storage.addStackDependency(network);
cluster.addStackDependency(network);
cluster.addStackDependency(storage);
// What one more fleet costs is measured with more of them, which the environment then has too: bench/synthesis/growth.py.
const further = Number(process.env.BENCH_FURTHER_NODE_GROUPS || 0);
const fleets = [['trn1', 32], ...Array.from({ length: further }, (_, index) => [`trn1-${index + 1}`, 2])];
for (const [name, count] of fleets) {
  const nodes = new NodesStack(app, name, count);
  nodes.addStackDependency(network);
  nodes.addStackDependency(cluster);
}
app.synth();
