'use strict';

const { Aws, Fn, RemovalPolicy, Stack } = require('aws-cdk-lib');
const fsx = require('aws-cdk-lib/aws-fsx');
const kms = require('aws-cdk-lib/aws-kms');
const logs = require('aws-cdk-lib/aws-logs');
const s3 = require('aws-cdk-lib/aws-s3');
const ssm = require('aws-cdk-lib/aws-ssm');
const { Construct } = require('constructs');
const { NAME, REGION, TAGS, exported, imported, named, output } = require('./common');

const CHECKPOINTS = `${NAME}-checkpoints-\${AWS::AccountId}-${REGION}`;
const ACCESS_LOGS = `${NAME}-access-logs-\${AWS::AccountId}-${REGION}`;

function retained(resource) {
  resource.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  return resource;
}

class Key extends Construct {
  constructor(scope, id, { alias, description, statements = [] }) {
    super(scope, id);
    const root = `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:root`;
    const account = {
      Sid: 'AccountDecidesByIam',
      Effect: 'Allow',
      Principal: { AWS: root },
      Action: 'kms:*',
      Resource: '*',
    };
    const key = retained(new kms.CfnKey(this, 'Key', {
      description,
      enableKeyRotation: true,
      pendingWindowInDays: 30,
      keyPolicy: { Version: '2012-10-17', Statement: [account, ...statements] },
    }));
    this.arn = key.attrArn;
    new kms.CfnAlias(this, 'Alias', { aliasName: `alias/${alias}`, targetKeyId: key.ref });
  }
}

function fsxMayUseTheKey() {
  const roles = ':role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*';
  const principal = `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}${roles}`;
  return [
    {
      Sid: 'FsxLinkedRoleMovesData',
      Effect: 'Allow',
      Principal: { AWS: '*' },
      Action: ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
      Resource: '*',
      Condition: {
        StringEquals: { 'kms:CallerAccount': Aws.ACCOUNT_ID, 'kms:ViaService': `s3.${REGION}.amazonaws.com` },
        ArnLike: { 'aws:PrincipalArn': principal },
      },
    },
    {
      Sid: 'FsxLinkedRoleLooks',
      Effect: 'Allow',
      Principal: { AWS: '*' },
      Action: 'kms:DescribeKey',
      Resource: '*',
      Condition: {
        StringEquals: { 'kms:CallerAccount': Aws.ACCOUNT_ID },
        ArnLike: { 'aws:PrincipalArn': principal },
      },
    },
  ];
}

class Checkpoints extends Construct {
  constructor(scope, id, { keyArn }) {
    super(scope, id);
    const closed = {
      ownershipControls: { rules: [{ objectOwnership: 'BucketOwnerEnforced' }] },
      publicAccessBlockConfiguration: {
        blockPublicAcls: true,
        blockPublicPolicy: true,
        ignorePublicAcls: true,
        restrictPublicBuckets: true,
      },
    };
    const log = this.accessLog(closed);
    this.bucket = retained(new s3.CfnBucket(this, 'Bucket', {
      bucketName: Fn.sub(CHECKPOINTS),
      bucketEncryption: {
        serverSideEncryptionConfiguration: [
          {
            serverSideEncryptionByDefault: { sseAlgorithm: 'aws:kms', kmsMasterKeyId: keyArn },
            bucketKeyEnabled: true,
          },
        ],
      },
      versioningConfiguration: { status: 'Enabled' },
      lifecycleConfiguration: {
        rules: [
          {
            id: 'abort-unfinished-uploads',
            status: 'Enabled',
            abortIncompleteMultipartUpload: { daysAfterInitiation: 7 },
          },
          {
            id: 'expire-old-versions',
            status: 'Enabled',
            noncurrentVersionExpiration: { noncurrentDays: 30 },
            expiredObjectDeleteMarker: true,
          },
        ],
      },
      loggingConfiguration: { destinationBucketName: log.ref, logFilePrefix: 'checkpoints/' },
      ...closed,
    }));
    this.policy = this.bucketPolicy('Policy', this.bucket, this.wrongKeys(keyArn));
  }

  accessLog(closed) {
    const log = retained(new s3.CfnBucket(this, 'AccessLog', {
      bucketName: Fn.sub(ACCESS_LOGS),
      bucketEncryption: {
        serverSideEncryptionConfiguration: [{ serverSideEncryptionByDefault: { sseAlgorithm: 'AES256' } }],
      },
      lifecycleConfiguration: { rules: [{ id: 'expire', status: 'Enabled', expirationInDays: 90 }] },
      ...closed,
    }));
    const deliver = {
      Sid: 'S3DeliversAccessLogs',
      Effect: 'Allow',
      Principal: { Service: 'logging.s3.amazonaws.com' },
      Action: 's3:PutObject',
      Resource: `${log.attrArn}/checkpoints/*`,
      Condition: {
        ArnLike: { 'aws:SourceArn': `arn:${Aws.PARTITION}:s3:::${Fn.sub(CHECKPOINTS)}` },
        StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
      },
    };
    this.bucketPolicy('AccessLogPolicy', log, [deliver]);
    return log;
  }

  bucketPolicy(id, bucket, statements) {
    const tlsOnly = {
      Sid: 'TlsOnly',
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Action: 's3:*',
      Resource: [bucket.attrArn, `${bucket.attrArn}/*`],
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    };
    return retained(new s3.CfnBucketPolicy(this, id, {
      bucket: bucket.ref,
      policyDocument: { Version: '2012-10-17', Statement: [tlsOnly, ...statements] },
    }));
  }

  wrongKeys(keyArn) {
    const put = {
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Action: 's3:PutObject',
      Resource: `${this.bucket.attrArn}/*`,
    };
    const algorithm = 's3:x-amz-server-side-encryption';
    const key = 's3:x-amz-server-side-encryption-aws-kms-key-id';
    return [
      {
        Sid: 'NoOtherKey',
        ...put,
        Condition: { StringNotEquals: { [key]: keyArn }, Null: { [key]: 'false' } },
      },
      {
        Sid: 'NoOtherEncryption',
        ...put,
        Condition: { StringNotEquals: { [algorithm]: 'aws:kms' }, Null: { [algorithm]: 'false' } },
      },
      {
        Sid: 'NoUnnamedKey',
        ...put,
        Condition: { StringEquals: { [algorithm]: 'aws:kms' }, Null: { [key]: 'true' } },
      },
      {
        Sid: 'NoCustomerKey',
        ...put,
        Condition: { Null: { 's3:x-amz-server-side-encryption-customer-algorithm': 'false' } },
      },
    ];
  }
}

class Lustre extends Construct {
  constructor(scope, id, { keyArn, bucket, bucketPolicy }) {
    super(scope, id);
    const log = new logs.CfnLogGroup(this, 'Log', { logGroupName: `/aws/fsx/${NAME}`, retentionInDays: 90 });
    const address = ['arn:', Aws.PARTITION, ':logs:', Aws.REGION, ':', Aws.ACCOUNT_ID, ':log-group:', log.ref];
    this.fileSystem = retained(new fsx.CfnFileSystem(this, 'FileSystem', {
      fileSystemType: 'LUSTRE',
      fileSystemTypeVersion: '2.15',
      storageCapacity: 4800,
      storageType: 'SSD',
      subnetIds: [imported('network', 'Subnet-nodes-use2-az3')],
      securityGroupIds: [imported('network', 'LustreSecurityGroup')],
      kmsKeyId: keyArn,
      lustreConfiguration: {
        deploymentType: 'PERSISTENT_2',
        perUnitStorageThroughput: 250,
        dataCompressionType: 'LZ4',
        metadataConfiguration: { mode: 'AUTOMATIC' },
        logConfiguration: { level: 'WARN_ERROR', destination: Fn.join('', address) },
      },
      tags: named(NAME),
    }));
    const association = new fsx.CfnDataRepositoryAssociation(this, 'Association-:checkpoints', {
      fileSystemId: this.fileSystem.ref,
      fileSystemPath: '/checkpoints',
      dataRepositoryPath: Fn.join('', ['s3://', bucket.ref, '']),
      batchImportMetaDataOnCreate: true,
      s3: {
        autoImportPolicy: { events: ['NEW', 'CHANGED'] },
        autoExportPolicy: { events: ['NEW', 'CHANGED'] },
      },
    });
    association.addResourceDependency(bucketPolicy);
  }
}

class StorageStack extends Stack {
  constructor(app) {
    super(app, `${NAME}-storage`, {
      env: { region: REGION },
      description: `${NAME}: keys, checkpoint bucket and file system`,
      tags: TAGS,
      terminationProtection: true,
    });
    const dataKey = new Key(this, 'DataKey', {
      alias: `${NAME}-data`,
      description: `${NAME}: checkpoints and file system`,
      statements: fsxMayUseTheKey(),
    });
    const secretsKey = new Key(this, 'SecretsKey', {
      alias: `${NAME}-secrets`,
      description: `${NAME}: Kubernetes secrets`,
    });
    const { bucket, policy } = new Checkpoints(this, 'Checkpoints', { keyArn: dataKey.arn });
    const { fileSystem } = new Lustre(this, 'Lustre', { keyArn: dataKey.arn, bucket, bucketPolicy: policy });
    exported(this, 'CheckpointBucket', bucket.ref);
    exported(this, 'DataKeyArn', dataKey.arn);
    exported(this, 'SecretsKeyArn', secretsKey.arn);
    output(this, 'CheckpointBucket', bucket.ref, 'The bucket that holds checkpoints');
    output(this, 'FileSystemId', fileSystem.ref, 'The Lustre file system');
    output(this, 'FileSystemDnsName', fileSystem.attrDnsName, 'The name under which it is reached');
    output(this, 'FileSystemMountName', fileSystem.attrLustreMountName, 'The name under which it is mounted');
    const told = { id: fileSystem.ref, 'dns-name': fileSystem.attrDnsName, 'mount-name': fileSystem.attrLustreMountName };
    for (const [what, value] of Object.entries(told)) {
      new ssm.CfnParameter(this, `Lustre-${what}`, { name: `/trnstack/${NAME}/file-system-${what}`, type: 'String', value });
    }
  }
}

module.exports = { StorageStack };
