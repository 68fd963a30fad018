// Renders a Helm chart as `helm template` does, for machines without Helm: the same template engine, the functions of
// sprig, and the functions that Helm adds. It supports what the chart of this repository uses.
//
//	go run main.go CHART_FOLDER < {"release": NAME, "namespace": NAME, "values": {…}}
//
// stdout: {"<template>": "<rendered text>", …}
package main

import (
	"encoding/json"
	"errors"
	"log"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type input struct {
	Release   string
	Namespace string
	Values    map[string]interface{}
}

func main() {
	log.SetFlags(0)
	folder := os.Args[1]
	var in input
	check(json.NewDecoder(os.Stdin).Decode(&in))
	var chart struct {
		Name       string
		Version    string
		AppVersion string `yaml:"appVersion"`
	}
	readYaml(filepath.Join(folder, "Chart.yaml"), &chart)
	values := map[string]interface{}{}
	readYaml(filepath.Join(folder, "values.yaml"), &values)

	root := map[string]interface{}{
		"Chart":        chart,
		"Release":      map[string]interface{}{"Name": in.Release, "Namespace": in.Namespace, "Service": "Helm", "IsInstall": true, "IsUpgrade": false, "Revision": 1},
		"Values":       asJson(merge(values, in.Values)),
		"Capabilities": map[string]interface{}{"KubeVersion": map[string]string{"Version": "v1.31.0", "Major": "1", "Minor": "31"}},
	}
	set := template.New("chart").Option("missingkey=zero")
	set.Funcs(functions(set))
	files, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	names := []string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		name := chart.Name + "/templates/" + filepath.Base(file)
		template.Must(set.New(name).Parse(string(text)))
		if !strings.HasPrefix(filepath.Base(file), "_") {
			names = append(names, name)
		}
	}
	rendered := map[string]string{}
	for _, name := range names {
		root["Template"] = map[string]interface{}{"Name": name, "BasePath": chart.Name + "/templates"}
		var text strings.Builder
		check(set.ExecuteTemplate(&text, name, root))
		// Helm removes this too: what a missing value prints.
		rendered[filepath.Base(name)] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

func functions(set *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	// As in Helm, templates cannot read the environment of the machine.
	delete(all, "env")
	delete(all, "expandenv")
	all["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := set.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	all["toYaml"] = func(value interface{}) (string, error) {
		var text strings.Builder
		encoder := yaml.NewEncoder(&text)
		encoder.SetIndent(2)
		err := encoder.Encode(value)
		return strings.TrimSuffix(text.String(), "\n"), err
	}
	all["fromYaml"] = func(text string) (map[string]interface{}, error) {
		value := map[string]interface{}{}
		err := yaml.Unmarshal([]byte(text), &value)
		return value, err
	}
	all["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	return all
}

// merge returns the values with those of the user, as Helm does: maps are merged, everything else is replaced, and null
// removes.
func merge(values, user map[string]interface{}) map[string]interface{} {
	merged := map[string]interface{}{}
	for key, value := range values {
		merged[key] = value
	}
	for key, value := range user {
		theirs, isMap := value.(map[string]interface{})
		ours, hasMap := merged[key].(map[string]interface{})
		switch {
		case value == nil:
			delete(merged, key)
		case isMap && hasMap:
			merged[key] = merge(ours, theirs)
		default:
			merged[key] = value
		}
	}
	return merged
}

// asJson returns the values with the types that Helm gives them: every number is a float64.
func asJson(values map[string]interface{}) map[string]interface{} {
	text, err := json.Marshal(values)
	check(err)
	converted := map[string]interface{}{}
	check(json.Unmarshal(text, &converted))
	return converted
}

func readYaml(file string, into interface{}) {
	text, err := os.ReadFile(file)
	check(err)
	check(yaml.Unmarshal(text, into))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
