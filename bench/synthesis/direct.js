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
const nodes = new NodesStack(app);
storage.addStackDependency(network);
cluster.addStackDependency(network);
cluster.addStackDependency(storage);
nodes.addStackDependency(network);
nodes.addStackDependency(cluster);
app.synth();
