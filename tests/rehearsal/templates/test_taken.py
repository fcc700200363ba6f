"""What CloudFormation takes is taken: templates as people write them, each with much of the language in it."""

import pytest

NETWORK = """
AWSTemplateFormatVersion: 2010-09-09
Description: A network of two or three zones, with NAT or without
Metadata:
  AWS::CloudFormation::Interface:
    ParameterGroups: [{Label: {default: Network}, Parameters: [Cidr, Zones]}]
Parameters:
  Cidr:
    Type: String
    Default: 10.8.0.0/16
    AllowedPattern: '^(\\d{1,3}\\.){3}\\d{1,3}/(1[6-9]|2[0-8])$'
    ConstraintDescription: an IPv4 block of /16 to /28
  Zones: {Type: Number, Default: 2, AllowedValues: [2, 3]}
  Nat: {Type: String, Default: 'false', AllowedValues: ['true', 'false']}
  Stage: {Type: String, Default: dev, MinLength: 2, MaxLength: 8}
Mappings:
  Stages:
    dev: {Retention: 7, Suffixes: [a, b]}
    prod: {Retention: 90, Suffixes: [x, y]}
Conditions:
  HasThree: !Equals [!Ref Zones, 3]
  HasNat: !Equals [!Ref Nat, 'true']
  HasNatInThree: !And [!Condition HasNat, !Condition HasThree]
  IsLong: !Equals [!FindInMap [Stages, !Ref Stage, Retention], '90']
Rules:
  ThreeInProduction:
    RuleCondition: !Equals [!Ref Stage, prod]
    Assertions:
      - {Assert: !Equals [!Ref Zones, '3'], AssertDescription: production has three zones}
Resources:
  Vpc:
    Type: AWS::EC2::VPC
    Properties:
      CidrBlock: !Ref Cidr
      EnableDnsHostnames: true
      Tags: [{Key: Name, Value: !Sub '${AWS::StackName}-${Stage}'}]
  Gateway: {Type: AWS::EC2::InternetGateway}
  Attached:
    Type: AWS::EC2::VPCGatewayAttachment
    Properties: {VpcId: !Ref Vpc, InternetGatewayId: !Ref Gateway}
  SubnetA:
    Type: AWS::EC2::Subnet
    Properties:
      VpcId: !Ref Vpc
      AvailabilityZone: !Select [0, !GetAZs {Ref: 'AWS::Region'}]
      CidrBlock: !Select [0, !Cidr [!GetAtt Vpc.CidrBlock, 6, 8]]
      Tags: [{Key: Suffix, Value: !Select [1, !FindInMap [Stages, !Ref Stage, Suffixes]]}]
  SubnetB:
    Type: AWS::EC2::Subnet
    Properties:
      VpcId: !Ref Vpc
      AvailabilityZone: !Select ['1', !GetAZs '']
      CidrBlock: !Select [1, !Cidr [!GetAtt Vpc.CidrBlock, 6, 8]]
  SubnetC:
    Type: AWS::EC2::Subnet
    Condition: HasThree
    Properties:
      VpcId: !Ref Vpc
      AvailabilityZone: !Select [2, !GetAZs '']
      CidrBlock: !Select [2, !Cidr [!GetAtt Vpc.CidrBlock, 6, 8]]
  Address: {Type: AWS::EC2::EIP, Condition: HasNat, DependsOn: [Attached], Properties: {Domain: vpc}}
  NatGateway:
    Type: AWS::EC2::NatGateway
    Condition: HasNat
    Properties: {AllocationId: !GetAtt Address.AllocationId, SubnetId: !Ref SubnetA}
Outputs:
  Subnets:
    Value: !Join [',', [!Ref SubnetA, !Ref SubnetB, !If [HasThree, !Ref SubnetC, !Ref 'AWS::NoValue']]]
    Export: {Name: !Sub '${AWS::StackName}:Subnets'}
  Third: {Condition: HasThree, Value: !Ref SubnetC}
  Nat: {Value: !If [HasNat, !Ref NatGateway, none]}
  Count: {Value: 2}
"""

SCRIPT = """
Parameters:
  Image: {Type: 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>', Default: /images/latest}
  Ports: {Type: CommaDelimitedList, Default: '22, 443'}
  Sizes: {Type: List<Number>, Default: '8,16'}
  Key: {Type: String, Default: ''}
Conditions:
  HasKey: !Not [!Equals [!Ref Key, '']]
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.9.0.0/16}}
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: !Sub ['for ${What} in ${AWS::Region}', {What: !Join ['-', [a, !Ref 'AWS::AccountId']]}]
      VpcId: !Ref Vpc
      SecurityGroupIngress:
        - IpProtocol: tcp
          FromPort: !Select [0, !Ref Ports]
          ToPort: !Select [0, !Ref Ports]
          CidrIp: 10.0.0.0/8
        - !If
          - HasKey
          - {IpProtocol: tcp, FromPort: 80, ToPort: 80, CidrIp: 10.0.0.0/8}
          - !Ref AWS::NoValue
  Inner:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: !GetAtt Group.GroupId
      IpProtocol: '-1'
      SourceSecurityGroupId: !GetAtt [Group, GroupId]
  Template:
    Type: AWS::EC2::LaunchTemplate
    Metadata:
      AWS::CloudFormation::Init: {config: {files: {/etc/size: {content: !Select [1, !Ref Sizes]}}}}
      Waits: !Ref Inner
    Properties:
      LaunchTemplateData:
        ImageId: !Ref Image
        InstanceType: t3.micro
        KeyName: !If [HasKey, !Ref Key, !Ref 'AWS::NoValue']
        SecurityGroupIds: [!Ref Group]
        BlockDeviceMappings:
          - {DeviceName: /dev/xvda, Ebs: {VolumeSize: !Select [0, !Ref Sizes], Encrypted: 'true'}}
        UserData:
          Fn::Base64: !Sub |
            #!/bin/bash
            parts=(a b); echo "${!parts[@]}" "$HOME" "${!HOME:-x}" $(( 1 + 1 ))
            echo ${AWS::StackName} ${Group.GroupId} ${Vpc}
Outputs:
  Version: {Value: !GetAtt Template.LatestVersionNumber}
  Group: {Value: !Select [0, [!GetAtt Group.GroupId, !Ref Vpc]]}
"""

ROLES = """
{
  "AWSTemplateFormatVersion": "2010-09-09",
  "Parameters": {
    "Buckets": {"Type": "CommaDelimitedList", "Default": "one,two", "Description": "names"},
    "Boundary": {"Type": "String", "Default": ""},
    "BootstrapVersion": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/bootstrap/version"}
  },
  "Conditions": {"HasBoundary": {"Fn::Not": [{"Fn::Equals": ["", {"Ref": "Boundary"}]}]}},
  "Rules": {
    "CheckBootstrapVersion": {
      "Assertions": [
        {
          "Assert": {"Fn::Not": [{"Fn::Contains": [["1", "2"], {"Ref": "BootstrapVersion"}]}]},
          "AssertDescription": "version 3 is needed"
        }
      ]
    }
  },
  "Resources": {
    "Role": {
      "Type": "AWS::IAM::Role",
      "Properties": {
        "AssumeRolePolicyDocument": {
          "Version": "2012-10-17",
          "Statement": {
            "Effect": "Allow",
            "Principal": {"Service": {"Fn::Join": ["", ["ec2.", {"Ref": "AWS::URLSuffix"}]]}},
            "Action": "sts:AssumeRole"
          }
        },
        "PermissionsBoundary": {"Fn::If": ["HasBoundary", {"Ref": "Boundary"}, {"Ref": "AWS::NoValue"}]},
        "Policies": [
          {
            "PolicyName": "read",
            "PolicyDocument": {
              "Version": "2012-10-17",
              "Statement": [
                {
                  "Effect": "Allow",
                  "Action": "s3:GetObject",
                  "Resource": {"Fn::Split": [",", {"Fn::Sub": [
                    "arn:${AWS::Partition}:s3:::${Names}/*",
                    {"Names": {"Fn::Join": ["/*,arn:aws:s3:::", {"Ref": "Buckets"}]}}
                  ]}]},
                  "Condition": {"StringEquals": {"aws:ResourceAccount": {"Ref": "AWS::AccountId"}}}
                }
              ]
            }
          }
        ]
      }
    }
  },
  "Outputs": {"Arn": {"Value": {"Fn::GetAtt": "Role.Arn"}, "Description": "the role"}}
}
"""


@pytest.fixture
def made(client):
    """Makes a stack of a template, and gives its status and its outputs."""
    for name, value in (("/images/latest", "ami-0123456789abcdef0"), ("/bootstrap/version", "30")):
        client("ssm").put_parameter(Name=name, Value=value, Type="String")
    cloudformation = client("cloudformation")

    def made(body, **parameters: str):
        given = [{"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()]
        name = f"made{len(cloudformation.describe_stacks()['Stacks'])}"
        cloudformation.create_stack(
            StackName=name, TemplateBody=body, Parameters=given, Capabilities=["CAPABILITY_IAM"]
        )
        (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
        return stack["StackStatus"], {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}

    return made


class TestTaken:
    def test_network(self, made):
        """Conditions leave resources and outputs out, or bring them in, with what refers to them."""
        status, small = made(NETWORK)
        again, large = made(NETWORK, Zones="3", Nat="true", Stage="prod", Cidr="10.10.0.0/16")

        assert [status, again] == ["CREATE_COMPLETE"] * 2
        assert (small.keys(), small["Nat"], small["Subnets"].count(",")) == ({"Subnets", "Nat", "Count"}, "none", 1)
        assert large["Nat"].startswith("nat-")
        assert large["Subnets"].endswith(f",{large['Third']}")

    def test_script(self, made):
        """A script's own braces, lists of parameters, and values that are left out are read as they are meant."""
        status, outputs = made(SCRIPT)

        assert (status, outputs["Version"], outputs["Group"][:3]) == ("CREATE_COMPLETE", "1", "sg-")

    def test_roles(self, made):
        """Functions stand within documents, where other words are no functions."""
        status, outputs = made(ROLES)

        assert (status, outputs["Arn"][:13]) == ("CREATE_COMPLETE", "arn:aws:iam::")
