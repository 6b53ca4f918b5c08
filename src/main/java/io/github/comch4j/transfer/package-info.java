/**
 * Sends and receives of producers and consumers, of Comch and of MsgQ: a context with a table of tasks, and what runs
 * for each message. The public classes stand in front of it.
 */
package io.github.comch4j.transfer;
