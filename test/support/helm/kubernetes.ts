import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1';
import type { KubernetesObject } from './chart.js';

interface Model {
  readonly validate: () => void;
}

/** The kinds that the manifests of this repository have; others are an error. */
const MODELS = Object.fromEntries(
  [
    ConfigMap,
    Deployment,
    HorizontalPodAutoscaler,
    Ingress,
    Job,
    NetworkPolicy,
    PodDisruptionBudget,
    Service,
    ServiceAccount,
  ].map((model) => [model.name, model as new (data: never) => Model]),
);

/** What the schemas of Kubernetes object to in an object. */
export function problemsOf(object: KubernetesObject): readonly string[] {
  const { kind, metadata } = object;
  const ModelOf = MODELS[kind];
  if (!ModelOf) return [`${kind} ${metadata.name}: an unexpected kind`];
  try {
    new ModelOf(object as never).validate();
    return [];
  } catch (error) {
    return [`${kind} ${metadata.name}: ${String(error)}`];
  }
}
