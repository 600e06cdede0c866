{{- define "millrace.name" -}}
{{- if contains "millrace" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-millrace{{ end -}}
{{- end -}}

{{- define "millrace.selector" -}}
app.kubernetes.io/name: millrace
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Prometheus' job is the name, which the alerts use. */}}
{{- define "millrace.labels" -}}
{{ include "millrace.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "millrace.secret" -}}
{{ .Values.token.existingSecret | default (printf "%s-token" (include "millrace.name" .)) }}
{{- end -}}

{{/* millrace.yaml: what the pod requires, overridden by the values. */}}
{{- define "millrace.config" -}}
{{- $name := include "millrace.name" . -}}
{{- $hosts := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) -}}
{{- $http := dict "address" "0.0.0.0" "port" 8080 "token-file" "/etc/millrace/token/token" "hosts" (concat $hosts .Values.http.hosts) -}}
{{- if .Values.http.tlsSecret -}}
{{- $_ := set $http "tls-certificate" "/etc/millrace/tls/tls.crt" -}}
{{- $_ := set $http "tls-key" "/etc/millrace/tls/tls.key" -}}
{{- end -}}
{{- $listen := list -}}
{{- range $port := .Values.collector.ports -}}
{{- $listen = append $listen (printf "0.0.0.0:%d" (int $port)) -}}
{{- end -}}
{{- $config := dict "data" "/var/lib/millrace/data" "collector" (dict "listen" $listen) "http" $http "flight" (dict "address" "0.0.0.0" "port" 8815) -}}
{{- if .Values.cluster.enabled -}}
{{- $_ := set $config "log" (dict "kafka" (required "cluster.kafka: the addresses of an external Kafka are required" .Values.cluster.kafka)) -}}
{{- $_ := set $config "job" (dict "run" "cluster") -}}
{{- $_ := set $config "store" (dict "listen" "0.0.0.0:9333") -}}
{{- end -}}
{{ toYaml (mergeOverwrite $config (deepCopy .Values.config)) }}
{{- end -}}
