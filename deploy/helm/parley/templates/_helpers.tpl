{{- define "parley.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "parley.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "parley.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "parley.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "parley.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- /* The kinds of server of the topology. */}}
{{- define "parley.roles" -}}
{{- if eq .Values.topology "split" }}web worker{{ else }}all{{ end }}
{{- end }}

{{- define "parley.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "parley.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop:
      - ALL
{{- end }}

{{- define "parley.secrets" -}}
{{- range .Values.existingSecrets }}
- secretRef:
    name: {{ . }}
{{- end }}
{{- end }}

{{- define "parley.mounts" -}}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
  {{- range .Values.files }}
  - name: {{ .name }}
    mountPath: {{ .mountPath }}
    readOnly: true
  {{- end }}
{{- end }}

{{- define "parley.volumes" -}}
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  {{- range .Values.files }}
  - name: {{ .name }}
    {{- if .configMap }}
    configMap:
      name: {{ .configMap }}
    {{- else }}
    secret:
      secretName: {{ .secret }}
    {{- end }}
  {{- end }}
{{- end }}

{{- /* Settings that are not secret, as YAML; those of .Values.config take precedence. */}}
{{- define "parley.config" -}}
{{- $settings := dict "DRAIN_RUN_MS" (.Values.drain.runMs | int | toString) "DRAIN_STREAM_MS" (.Values.drain.streamMs | int | toString) }}
{{- $_ := set $settings "MIGRATE" (ternary "check" "auto" .Values.migration.enabled) }}
{{- if .Values.metrics.enabled }}
{{- $_ := set $settings "METRICS_HOST" "0.0.0.0" }}
{{- $_ := set $settings "METRICS_PORT" (.Values.metrics.port | int | toString) }}
{{- end }}
{{- with .Values.ingress }}
{{- if and .enabled .host }}
{{- $_ := set $settings "PUBLIC_BASE_URL" (printf "%s://%s" (ternary "https" "http" (ne .tlsSecret "")) .host) }}
{{- end }}
{{- end }}
{{- range $key, $value := .Values.config }}
{{- $_ := set $settings $key ($value | toString) }}
{{- end }}
{{- toYaml $settings }}
{{- end }}
