'use strict';

const { Aws, Stack } = require('aws-cdk-lib');
const eks = require('aws-cdk-lib/aws-eks');
const iam = require('aws-cdk-lib/aws-iam');
const logs = require('aws-cdk-lib/aws-logs');
const { Construct } = require('constructs');
const {
  NAME, REGION, TAGS, ZONES,
  acknowledge, acknowledgeManaged, assumedBy, exported, imported, inlinePolicy, managedPolicy, output,
} = require('./common');
const { VERSION, launchTemplate, nodeGroup, repair } = require('./nodes');

const TUNNEL = [
  `aws ssm start-session --region ${REGION} --document-name AWS-StartPortForwardingSessionToRemoteHost`,
  '--parameters portNumber=443,localPortNumber=8443,host='
    + `$(aws eks describe-cluster --region ${REGION} --name ${NAME} --query cluster.endpoint --output text | cut -c9-)`,
  `--target $(aws ec2 describe-instances --region ${REGION}`,
  `--filters Name=tag:eks:cluster-name,Values=${NAME} Name=tag:eks:nodegroup-name,Values=system`,
  'Name=instance-state-name,Values=running',
  "--query 'Reservations[0].Instances[0].InstanceId' --output text)",
].join(' ');

class Cluster extends Construct {
  constructor(scope, id, { subnetIds }) {
    super(scope, id);
    const logGroup = new logs.CfnLogGroup(this, 'LogGroup', {
      logGroupName: `/aws/eks/${NAME}/cluster`,
      retentionInDays: 90,
    });
    const secretsKey = imported('storage', 'SecretsKeyArn');
    this.resource = new eks.CfnCluster(this, 'Cluster', {
      name: NAME,
      version: VERSION,
      roleArn: this.role(secretsKey).attrArn,
      accessConfig: { authenticationMode: 'API', bootstrapClusterCreatorAdminPermissions: false },
      bootstrapSelfManagedAddons: false,
      deletionProtection: true,
      encryptionConfig: [{ provider: { keyArn: secretsKey }, resources: ['secrets'] }],
      kubernetesNetworkConfig: { ipFamily: 'ipv4', serviceIpv4Cidr: '172.20.0.0/16' },
      logging: { clusterLogging: { enabledTypes: ['api', 'audit', 'authenticator'].map((type) => ({ type })) } },
      resourcesVpcConfig: {
        endpointPrivateAccess: true,
        endpointPublicAccess: false,
        securityGroupIds: [imported('network', 'ControlPlaneSecurityGroup')],
        subnetIds,
      },
      upgradePolicy: { supportType: 'STANDARD' },
    });
    this.resource.addResourceDependency(logGroup);
    const chosen = 'the environment chooses which control plane logs it pays for';
    acknowledge(this.resource, {
      'AwsSolutions-EKS2[LogExport::controllerManager]': chosen,
      'AwsSolutions-EKS2[LogExport::scheduler]': chosen,
    });
    const administrator = 'arn:aws:iam::111122223333:role/ml-platform-admin';
    const admin = `arn:${Aws.PARTITION}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;
    new eks.CfnAccessEntry(this, `Administrator-${administrator.replaceAll('/', ':')}`, {
      clusterName: this.resource.ref,
      principalArn: administrator,
      type: 'STANDARD',
      accessPolicies: [{ accessScope: { type: 'cluster' }, policyArn: admin }],
    });
  }

  role(secretsKey) {
    const role = new iam.CfnRole(this, 'Role', {
      assumeRolePolicyDocument: assumedBy('eks.amazonaws.com'),
      managedPolicyArns: [managedPolicy('AmazonEKSClusterPolicy')],
      policies: [
        inlinePolicy('secrets', {
          Action: ['kms:CreateGrant', 'kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt'],
          Resource: secretsKey,
        }),
      ],
    });
    acknowledgeManaged(role, ['AmazonEKSClusterPolicy'], 'the control plane');
    return role;
  }
}

function podRole(scope, { namespace, serviceAccount, managed = undefined, policies = undefined }) {
  const condition = {
    StringEquals: {
      'aws:RequestTag/kubernetes-namespace': namespace,
      'aws:RequestTag/kubernetes-service-account': serviceAccount,
    },
  };
  return new iam.CfnRole(scope, 'Role', {
    assumeRolePolicyDocument: assumedBy('pods.eks.amazonaws.com', ['sts:AssumeRole', 'sts:TagSession'], condition),
    managedPolicyArns: managed?.map(managedPolicy),
    policies,
  });
}

class ClusterStack extends Stack {
  constructor(app) {
    super(app, `${NAME}-cluster`, {
      env: { region: REGION },
      description: `${NAME}: EKS control plane, add-ons and system nodes`,
      tags: TAGS,
    });
    this.subnetIds = ZONES.map((zone) => imported('network', `Subnet-system-${zone}`));
    this.cluster = new Cluster(this, 'Cluster', { subnetIds: this.subnetIds }).resource;
    this.nodeRole = this.roleOfNodes();
    const system = this.systemNodes([
      this.vpcCni(),
      this.addOn('kube-proxy', 'v1.35.3-eksbuild.29'),
      this.addOn('eks-pod-identity-agent', 'v1.3.10-eksbuild.3'),
    ]);
    this.addOn('coredns', 'v1.13.2-eksbuild.31').addResourceDependency(system);
    this.addOn('eks-node-monitoring-agent', 'v1.7.0-eksbuild.1').addResourceDependency(system);
    this.fsxCsiDriver().addResourceDependency(system);
    this.trainer();
    exported(this, 'ClusterName', this.cluster.ref);
    exported(this, 'ClusterSecurityGroup', this.cluster.attrClusterSecurityGroupId);
    exported(this, 'NodeRoleArn', this.nodeRole.attrArn);
    exported(this, 'ClusterEndpoint', this.cluster.attrEndpoint);
    exported(this, 'ClusterCertificateAuthority', this.cluster.attrCertificateAuthorityData);
    output(this, 'ClusterName', this.cluster.ref, 'The EKS cluster');
    const kubeconfig = `aws eks update-kubeconfig --region ${REGION} --name ${NAME}`;
    output(this, 'KubeconfigCommand', kubeconfig, 'Lets kubectl find the cluster; add --role-arn ARN to work as one of the roles that the file names');
    output(this, 'TunnelCommand', TUNNEL, 'Opens the private API endpoint on port 8443 of this machine');
  }

  roleOfNodes() {
    const names = ['AmazonEKSWorkerNodePolicy', 'AmazonEC2ContainerRegistryPullOnly', 'AmazonSSMManagedInstanceCore'];
    const role = new iam.CfnRole(this, 'NodeRole', {
      assumeRolePolicyDocument: assumedBy('ec2.amazonaws.com'),
      managedPolicyArns: names.map(managedPolicy),
    });
    acknowledgeManaged(role, names, 'a node');
    return role;
  }

  addOn(addonName, addonVersion, more = {}, scope = new Construct(this, `AddOn-${addonName}`)) {
    return new eks.CfnAddon(scope, 'AddOn', {
      addonName,
      addonVersion,
      clusterName: this.cluster.ref,
      resolveConflicts: 'OVERWRITE',
      ...more,
    });
  }

  vpcCni() {
    const scope = new Construct(this, 'AddOn-vpc-cni');
    const role = podRole(scope, {
      namespace: 'kube-system',
      serviceAccount: 'aws-node',
      managed: ['AmazonEKS_CNI_Policy'],
    });
    acknowledgeManaged(role, ['AmazonEKS_CNI_Policy'], 'the add-on');
    const more = {
      configurationValues: '{"env": {"MINIMUM_IP_TARGET": "16", "WARM_IP_TARGET": "4"}}',
      podIdentityAssociations: [{ roleArn: role.attrArn, serviceAccount: 'aws-node' }],
    };
    return this.addOn('vpc-cni', 'v1.22.4-eksbuild.3', more, scope);
  }

  fsxCsiDriver() {
    const scope = new Construct(this, 'AddOn-aws-fsx-csi-driver');
    const every = `arn:${Aws.PARTITION}:fsx:${REGION}:${Aws.ACCOUNT_ID}:file-system/*`;
    const role = podRole(scope, {
      namespace: 'kube-system',
      serviceAccount: 'fsx-csi-controller-sa',
      policies: [inlinePolicy('permissions', { Action: ['fsx:DescribeFileSystems'], Resource: every })],
    });
    acknowledge(role, {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:fsx:${REGION}:<AWS::AccountId>:file-system/*]`]:
        "looking only; naming one file system would tie its stack to this one by an export that can't be dropped",
    });
    const identity = { roleArn: role.attrArn, serviceAccount: 'fsx-csi-controller-sa' };
    return this.addOn('aws-fsx-csi-driver', 'v1.10.0-eksbuild.1', { podIdentityAssociations: [identity] }, scope);
  }

  systemNodes(addOns) {
    const scope = new Construct(this, 'SystemNodes');
    const groups = [imported('network', 'NodesSecurityGroup'), this.cluster.attrClusterSecurityGroupId];
    const template = launchTemplate(scope, {
      fleet: 'system',
      instanceType: 'm7i.large',
      rootVolumeGib: 50,
      networkInterfaces: [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface', groups, deleteOnTermination: true },
      ],
    });
    const nodes = nodeGroup(scope, {
      template,
      amiType: 'AL2023_x86_64_STANDARD',
      clusterName: this.cluster.ref,
      labels: { 'trnstack/role': 'system' },
      nodeRepairConfig: repair(2, []),
      nodegroupName: 'system',
      nodeRole: this.nodeRole.attrArn,
      scalingConfig: { minSize: 2, desiredSize: 2, maxSize: 4 },
      subnets: this.subnetIds,
      taints: [],
    });
    addOns.forEach((addOn) => nodes.addResourceDependency(addOn));
    return nodes;
  }

  trainer() {
    const scope = new Construct(this, 'Trainer');
    const bucket = imported('storage', 'CheckpointBucket');
    const role = podRole(scope, {
      namespace: 'training',
      serviceAccount: 'trainer',
      policies: [
        inlinePolicy(
          'permissions',
          {
            Action: ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'],
            Resource: `arn:${Aws.PARTITION}:s3:::${bucket}`,
          },
          {
            Action: [
              's3:AbortMultipartUpload',
              's3:DeleteObject',
              's3:GetObject',
              's3:ListMultipartUploadParts',
              's3:PutObject',
            ],
            Resource: `arn:${Aws.PARTITION}:s3:::${bucket}/*`,
          },
          { Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: imported('storage', 'DataKeyArn') },
        ),
      ],
    });
    acknowledge(role, {
      [`AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${NAME}-storage:CheckpointBucket/*]`]:
        'jobs choose the names of their checkpoints, all of them in this one bucket',
    });
    new eks.CfnPodIdentityAssociation(scope, 'Association', {
      clusterName: this.cluster.ref,
      namespace: 'training',
      serviceAccount: 'trainer',
      roleArn: role.attrArn,
    });
  }
}

module.exports = { ClusterStack };
