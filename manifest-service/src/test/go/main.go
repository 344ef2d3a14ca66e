// Renders the template cases with Go's own text/template, the source of truth of the subset.
//
//	go run main.go ../resources/goldens/cases.json > ../resources/goldens/expected.json
//
// default, quote and join are not part of text/template; they follow the well-known sprig functions.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/template"
)

type cases struct {
	Variables map[string]any `json:"variables"`
	Templates []string       `json:"templates"`
}

type result struct {
	Template string `json:"template"`
	Output   string `json:"output"`
	Error    bool   `json:"error"`
}

func empty(value any) bool {
	truth, ok := template.IsTrue(value)
	return !ok || !truth
}

func text(value any) string {
	return fmt.Sprint(value)
}

var functions = template.FuncMap{
	"default": func(fallback any, given any) any {
		if empty(given) {
			return fallback
		}
		return given
	},
	"quote": func(values ...any) string {
		out := []string{}
		for _, value := range values {
			if value != nil {
				out = append(out, fmt.Sprintf("%q", text(value)))
			}
		}
		return strings.Join(out, " ")
	},
	"join": func(separator string, value any) string {
		if list, ok := value.([]any); ok {
			out := []string{}
			for _, item := range list {
				out = append(out, text(item))
			}
			return strings.Join(out, separator)
		}
		return text(value)
	},
}

func render(source string, variables map[string]any) result {
	parsed, err := template.New("case").Option("missingkey=error").Funcs(functions).Parse(source)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return result{source, "", true}
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, variables); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return result{source, "", true}
	}
	return result{source, out.String(), false}
}

func main() {
	raw, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var all cases
	if err := json.Unmarshal(raw, &all); err != nil {
		panic(err)
	}
	results := []result{}
	for _, source := range all.Templates {
		results = append(results, render(source, all.Variables))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(results); err != nil {
		panic(err)
	}
}
