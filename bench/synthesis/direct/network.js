'use strict';

const { Fn, Stack } = require('aws-cdk-lib');
const ec2 = require('aws-cdk-lib/aws-ec2');
const iam = require('aws-cdk-lib/aws-iam');
const logs = require('aws-cdk-lib/aws-logs');
const { Construct } = require('constructs');
const { NAME, REGION, TAGS, ZONES, assumedBy, exported, inlinePolicy, named, output } = require('./common');

const CIDRS = {
  'public-use2-az3': '10.0.0.0/23',
  'system-use2-az3': '10.0.16.0/23',
  'nodes-use2-az3': '10.0.32.0/19',
  'public-use2-az1': '10.0.2.0/23',
  'system-use2-az1': '10.0.18.0/23',
  'nodes-use2-az1': '10.0.64.0/19',
};
const SERVICES = ['ec2', 'ecr.api', 'ecr.dkr', 'eks', 'eks-auth', 'logs', 'ssm', 'ssmmessages', 'sts'];

class Vpc extends Construct {
  constructor(scope, id) {
    super(scope, id);
    this.vpc = new ec2.CfnVPC(this, 'Vpc', {
      cidrBlock: '10.0.0.0/16',
      enableDnsHostnames: true,
      enableDnsSupport: true,
      tags: named(NAME),
    });
    this.subnets = {};
    for (const [name, cidrBlock] of Object.entries(CIDRS)) {
      this.subnets[name] = new ec2.CfnSubnet(this, `Subnet-${name}`, {
        vpcId: this.vpc.ref,
        cidrBlock,
        availabilityZoneId: name.slice(name.indexOf('-') + 1),
        mapPublicIpOnLaunch: false,
        tags: named(`${NAME}-${name}`),
      });
    }
    const tables = [this.publicRoutes()];
    const [nearest] = ZONES;
    const address = new ec2.CfnEIP(this, `Eip-${nearest}`, { domain: 'vpc', tags: named(`${NAME}-${nearest}`) });
    address.addResourceDependency(this.toInternet);
    const nat = new ec2.CfnNatGateway(this, `Nat-${nearest}`, {
      allocationId: address.attrAllocationId,
      subnetId: this.subnets[`public-${nearest}`].ref,
      tags: named(`${NAME}-${nearest}`),
    });
    nat.addResourceDependency(this.toInternet);
    for (const zone of ZONES) {
      const table = this.routeTable(`private-${zone}`, [`system-${zone}`, `nodes-${zone}`]);
      new ec2.CfnRoute(this, `Route-private-${zone}`, {
        routeTableId: table.ref,
        destinationCidrBlock: '0.0.0.0/0',
        natGatewayId: nat.ref,
      });
      tables.push(table);
    }
    new ec2.CfnVPCEndpoint(this, 'S3Endpoint', {
      vpcId: this.vpc.ref,
      vpcEndpointType: 'Gateway',
      serviceName: Fn.sub('com.amazonaws.${AWS::Region}.s3'),
      routeTableIds: tables.map((table) => table.ref),
    });
  }

  routeTable(label, subnetNames) {
    const table = new ec2.CfnRouteTable(this, `Routes-${label}`, {
      vpcId: this.vpc.ref,
      tags: named(`${NAME}-${label}`),
    });
    for (const name of subnetNames) {
      new ec2.CfnSubnetRouteTableAssociation(this, `Association-${name}`, {
        subnetId: this.subnets[name].ref,
        routeTableId: table.ref,
      });
    }
    return table;
  }

  publicRoutes() {
    const gateway = new ec2.CfnInternetGateway(this, 'InternetGateway', { tags: named(NAME) });
    const attachment = new ec2.CfnVPCGatewayAttachment(this, 'InternetAttachment', {
      vpcId: this.vpc.ref,
      internetGatewayId: gateway.ref,
    });
    const table = this.routeTable('public', ZONES.map((zone) => `public-${zone}`));
    this.toInternet = new ec2.CfnRoute(this, 'Route-public', {
      routeTableId: table.ref,
      destinationCidrBlock: '0.0.0.0/0',
      gatewayId: gateway.ref,
    });
    this.toInternet.addResourceDependency(attachment);
    return table;
  }
}

class SecurityGroups extends Construct {
  constructor(scope, id, { vpcId }) {
    super(scope, id);
    this.vpcId = vpcId;
    this.nodes = this.group('Nodes', 'nodes', 'every node');
    this.lustre = this.group('Lustre', 'lustre', 'the Lustre file system');
    this.endpoints = this.group('Endpoints', 'endpoints', 'interface endpoints');
    this.controlPlane = this.group('ControlPlane', 'clients', 'client networks of the control plane');
    const https = { ipProtocol: 'tcp', fromPort: 443, toPort: 443 };
    this.both('NodesSelf', this.nodes, this.nodes, { ipProtocol: '-1', description: 'nodes to nodes, EFA included' });
    this.both('NodesEndpoints', this.nodes, this.endpoints, { ...https, description: 'nodes to endpoints' });
    new ec2.CfnSecurityGroupEgress(this, 'NodesToHttps', {
      groupId: this.nodes.ref,
      cidrIp: '0.0.0.0/0',
      description: 'HTTPS: AWS APIs and registries',
      ...https,
    });
    for (const [fromPort, toPort] of [[988, 988], [1018, 1023]]) {
      const ports = { ipProtocol: 'tcp', fromPort, toPort };
      this.both(`LustreSelf${fromPort}`, this.lustre, this.lustre, { ...ports, description: 'Lustre servers' });
      this.both(`NodesToLustre${fromPort}`, this.nodes, this.lustre, { ...ports, description: 'clients to Lustre' });
      this.both(`LustreToNodes${fromPort}`, this.lustre, this.nodes, { ...ports, description: 'Lustre to clients' });
    }
  }

  group(id, label, purpose) {
    return new ec2.CfnSecurityGroup(this, id, {
      groupDescription: `${NAME}: ${purpose}`,
      vpcId: this.vpcId,
      securityGroupEgress: [
        {
          cidrIp: '255.255.255.255/32',
          ipProtocol: 'icmp',
          fromPort: 252,
          toPort: 86,
          description: 'no traffic beyond the rules that stand beside the group',
        },
      ],
      tags: named(`${NAME}-${label}`),
    });
  }

  both(id, source, target, traffic) {
    new ec2.CfnSecurityGroupEgress(this, `${id}Out`, {
      groupId: source.ref,
      destinationSecurityGroupId: target.ref,
      ...traffic,
    });
    new ec2.CfnSecurityGroupIngress(this, `${id}In`, {
      groupId: target.ref,
      sourceSecurityGroupId: source.ref,
      ...traffic,
    });
  }
}

class FlowLog extends Construct {
  constructor(scope, id, { vpcId }) {
    super(scope, id);
    const group = new logs.CfnLogGroup(this, 'LogGroup', { retentionInDays: 90 });
    const role = new iam.CfnRole(this, 'Role', {
      assumeRolePolicyDocument: assumedBy('vpc-flow-logs.amazonaws.com'),
      policies: [
        inlinePolicy('write', {
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents', 'logs:DescribeLogStreams'],
          Resource: group.attrArn,
        }),
      ],
    });
    new ec2.CfnFlowLog(this, 'FlowLog', {
      resourceId: vpcId,
      resourceType: 'VPC',
      trafficType: 'ALL',
      logDestinationType: 'cloud-watch-logs',
      logGroupName: group.ref,
      deliverLogsPermissionArn: role.attrArn,
    });
  }
}

class NetworkStack extends Stack {
  constructor(app) {
    super(app, `${NAME}-network`, {
      env: { region: REGION },
      description: `${NAME}: VPC, subnets, endpoints and security groups`,
      tags: TAGS,
      terminationProtection: true,
    });
    const { vpc, subnets } = new Vpc(this, 'Vpc');
    const groups = new SecurityGroups(this, 'SecurityGroups', { vpcId: vpc.ref });
    const endpoints = new Construct(this, 'Endpoints');
    for (const service of SERVICES) {
      new ec2.CfnVPCEndpoint(endpoints, service, {
        vpcId: vpc.ref,
        vpcEndpointType: 'Interface',
        serviceName: Fn.sub(`com.amazonaws.\${AWS::Region}.${service}`),
        privateDnsEnabled: true,
        subnetIds: ZONES.map((zone) => subnets[`system-${zone}`].ref),
        securityGroupIds: [groups.endpoints.ref],
      });
    }
    new FlowLog(this, 'FlowLog', { vpcId: vpc.ref });
    for (const [name, subnet] of Object.entries(subnets)) {
      if (!name.startsWith('public-')) exported(this, `Subnet-${name}`, subnet.ref);
    }
    exported(this, 'VpcId', vpc.ref);
    exported(this, 'NodesSecurityGroup', groups.nodes.ref);
    exported(this, 'LustreSecurityGroup', groups.lustre.ref);
    exported(this, 'EndpointsSecurityGroup', groups.endpoints.ref);
    exported(this, 'ControlPlaneSecurityGroup', groups.controlPlane.ref);
    output(this, 'VpcId', vpc.ref, 'The VPC');
  }
}

module.exports = { NetworkStack };
