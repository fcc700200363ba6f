'use strict';

const { Fn, Stack } = require('aws-cdk-lib');
const ec2 = require('aws-cdk-lib/aws-ec2');
const eks = require('aws-cdk-lib/aws-eks');
const { Construct } = require('constructs');
const { NAME, REGION, imported, output } = require('./common');

const VERSION = '1.35';
const RELEASE = '1.35.6-20260625';
const USER_DATA = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="trnstack"

--trnstack
Content-Type: application/node.eks.aws

---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance:
    localStorage:
      strategy: RAID0
  containerd:
    baseRuntimeSpec:
      process:
        rlimits:
          - type: RLIMIT_NOFILE
            soft: 65536
            hard: 1048576
          - type: RLIMIT_MEMLOCK
            soft: 9007199254740992
            hard: 9007199254740992

--trnstack--
`;

/** A launch template with what every fleet of this environment has in common. */
function launchTemplate(scope, { fleet, instanceType, rootVolumeGib, networkInterfaces, ...more }) {
  const tags = [
    { key: 'Name', value: `${NAME}-${fleet}` },
    { key: 'trnstack:environment', value: NAME },
    { key: 'trnstack:node-group', value: fleet },
    { key: 'managed-by', value: 'trnstack' },
  ];
  return new ec2.CfnLaunchTemplate(new Construct(scope, 'Template'), 'LaunchTemplate', {
    launchTemplateData: {
      instanceType,
      networkInterfaces,
      metadataOptions: { httpEndpoint: 'enabled', httpTokens: 'required', httpPutResponseHopLimit: 2 },
      blockDeviceMappings: [
        {
          deviceName: '/dev/xvda',
          ebs: { volumeType: 'gp3', volumeSize: rootVolumeGib, encrypted: true, deleteOnTermination: true },
        },
      ],
      tagSpecifications: ['instance', 'volume'].map((resourceType) => ({ resourceType, tags })),
      ...more,
    },
  });
}

function nodeGroup(scope, { template, ...properties }) {
  return new eks.CfnNodegroup(scope, 'NodeGroup', {
    capacityType: 'ON_DEMAND',
    forceUpdateEnabled: false,
    launchTemplate: { id: template.ref, version: template.attrLatestVersionNumber },
    releaseVersion: RELEASE,
    version: VERSION,
    updateConfig: { maxUnavailable: 1, updateStrategy: 'DEFAULT' },
    ...properties,
  });
}

const NEURON_REASONS = [
  'NeuronDMAError',
  'NeuronHBMUncorrectableError',
  'NeuronNCUncorrectableError',
  'NeuronSRAMUncorrectableError',
];

function repair(maxUnhealthyNodeThresholdCount, reasons) {
  const overrides = reasons.map((nodeUnhealthyReason) => ({
    minRepairWaitTimeMins: 10,
    nodeMonitoringCondition: 'AcceleratedHardwareReady',
    nodeUnhealthyReason,
    repairAction: 'Replace',
  }));
  return {
    enabled: true,
    maxParallelNodesRepairedCount: 1,
    maxUnhealthyNodeThresholdCount,
    ...(overrides.length ? { nodeRepairConfigOverrides: overrides } : {}),
  };
}

class NodesStack extends Stack {
  constructor(app, name, count) {
    super(app, `${NAME}-nodes-${name}`, { env: { region: REGION }, description: `${NAME}: node group ${name}` });
    const nodes = new Construct(this, 'Nodes');
    const placement = new ec2.CfnPlacementGroup(nodes, 'PlacementGroup', { strategy: 'cluster' });
    const group = imported('network', 'NodesSecurityGroup');
    const networkInterfaces = [0, 1, 2, 3, 4, 5, 6, 7].map((networkCardIndex) => ({
      networkCardIndex,
      deviceIndex: networkCardIndex === 0 ? 0 : 1,
      interfaceType: networkCardIndex === 0 ? 'efa' : 'efa-only',
      groups: networkCardIndex === 0 ? [group, imported('cluster', 'ClusterSecurityGroup')] : [group],
      deleteOnTermination: true,
    }));
    const template = launchTemplate(nodes, {
      fleet: name,
      instanceType: 'trn1.32xlarge',
      rootVolumeGib: 200,
      networkInterfaces,
      placement: { groupName: placement.attrGroupName },
      userData: Fn.base64(USER_DATA),
    });
    nodeGroup(nodes, {
      template,
      amiType: 'AL2023_x86_64_NEURON',
      clusterName: imported('cluster', 'ClusterName'),
      labels: { 'trnstack/neuron': 'true', 'trnstack/node-group': name, 'trnstack/efa': 'true' },
      nodeRepairConfig: repair(Math.max(1, Math.floor(count / 5)), NEURON_REASONS),
      nodegroupName: name,
      nodeRole: imported('cluster', 'NodeRoleArn'),
      scalingConfig: { minSize: count, desiredSize: count, maxSize: count },
      subnets: [imported('network', 'Subnet-nodes-use2-az3')],
      taints: [{ key: 'aws.amazon.com/neuron', value: 'present', effect: 'NO_SCHEDULE' }],
    });
    output(this, 'NodeGroupName', name, "The node group's name in EKS");
    output(this, 'PlacementGroup', placement.attrGroupName, 'Where a capacity reservation would have to be made');
  }
}

module.exports = { NodesStack, VERSION, launchTemplate, nodeGroup, repair };
