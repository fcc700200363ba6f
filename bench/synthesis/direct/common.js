'use strict';
// What the four stacks share: the environment's name, its tags, and a few ways to say things once.

const { Aws, CfnOutput, Fn } = require('aws-cdk-lib');

const NAME = 'llama3-8b';
const REGION = 'us-east-2';
const ZONES = ['use2-az3', 'use2-az1'];
const TAGS = { 'managed-by': 'trnstack', project: NAME, team: 'research', 'trnstack:environment': NAME };

function named(name) {
  return [{ key: 'Name', value: name }];
}

function exported(stack, key, value) {
  new CfnOutput(stack, `Export${key.replaceAll('-', '')}`, { value, exportName: `${stack.stackName}:${key}` });
}

function imported(stack, key) {
  return Fn.importValue(`${NAME}-${stack}:${key}`);
}

function output(stack, key, value, description) {
  new CfnOutput(stack, key, { value, description });
}

function assumedBy(service, actions = ['sts:AssumeRole'], condition = undefined) {
  const statement = { Effect: 'Allow', Principal: { Service: service }, Action: actions };
  return { Version: '2012-10-17', Statement: [condition ? { ...statement, Condition: condition } : statement] };
}

function inlinePolicy(policyName, ...statements) {
  const allowed = statements.map((statement) => ({ Effect: 'Allow', ...statement }));
  return { policyName, policyDocument: { Version: '2012-10-17', Statement: allowed } };
}

function managedPolicy(name) {
  return `arn:${Aws.PARTITION}:iam::aws:policy/${name}`;
}

/** Says of findings of cdk-nag that they are as intended. */
function acknowledge(resource, rules) {
  const suppressed = Object.entries(rules).map(([id, reason]) => ({ id, reason }));
  resource.addMetadata('cdk_nag', { rules_to_suppress: suppressed });
}

function acknowledgeManaged(resource, names, what) {
  const reason = `AWS keeps this policy in step with what ${what} needs; a copy would fall behind`;
  const id = (name) => `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`;
  acknowledge(resource, Object.fromEntries(names.map((name) => [id(name), reason])));
}

module.exports = {
  NAME, REGION, TAGS, ZONES,
  acknowledge, acknowledgeManaged, assumedBy, exported, imported, inlinePolicy, managedPolicy, named, output,
};
