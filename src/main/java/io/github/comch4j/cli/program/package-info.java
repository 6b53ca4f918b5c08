/** What the tool's commands have in common: patience, sizes and files as text, JSON, processors. */
package io.github.comch4j.cli.program;
