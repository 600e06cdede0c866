// Command check decodes files strictly by the types of their readers: an unknown field is an error.
//
//	check dashboards FILE.json…   Grafana's dashboards, by its schema
//	check objects FILE.yaml       objects of Prometheus' operator in a stream of YAML; others are skipped
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	streams "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) < 3 {
		fail(errors.New("usage: check dashboards|objects FILE…"))
	}
	for _, file := range os.Args[2:] {
		data, err := os.ReadFile(file)
		if err != nil {
			fail(err)
		}
		if os.Args[1] == "dashboards" {
			err = checkDashboard(data)
		} else {
			err = checkObjects(data)
		}
		if err != nil {
			fail(fmt.Errorf("%s: %w", file, err))
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func checkDashboard(data []byte) error {
	plugins.RegisterDefaultPlugins()
	var read dashboard.Dashboard
	// The library returns an empty list of errors for some values without one.
	if err := read.UnmarshalJSONStrict(data); err != nil && err.Error() != "" {
		return err
	}
	if err := read.Validate(); err != nil && err.Error() != "" {
		return err
	}
	fmt.Printf("dashboard %s: %d panels\n", *read.Title, len(read.Panels))
	return nil
}

func checkObjects(data []byte) error {
	documents := streams.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var head struct{ Kind string }
		if err := yaml.Unmarshal(document, &head); err != nil {
			return err
		}
		switch head.Kind {
		case "ServiceMonitor":
			err = yaml.UnmarshalStrict(document, &monitoring.ServiceMonitor{})
		case "PrometheusRule":
			err = yaml.UnmarshalStrict(document, &monitoring.PrometheusRule{})
		default:
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", head.Kind, err)
		}
		fmt.Println("valid", head.Kind)
	}
}
