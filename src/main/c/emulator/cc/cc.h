/* The doca_cc generation, Comch under its first name: in DOCA 2.5 with other types in its signatures (v2_5), in 2.6
 * with those of Comch (v2_6) but for a few. What differs in nothing but the name has no code here: releases/ has lists
 * of such functions for the linker.
 *
 * Servers, clients, connections, tasks and events are those of Comch. For the compiler their structures have Comch's
 * tags here, so that a function of one generation takes what the other one returns, and every difference that is left
 * shows as an error. Whose doca_cc.h comes in, is a matter of the include path. */
#ifndef EMU_CC_H
#define EMU_CC_H

#include "doca_comch.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"

#define doca_cc_server doca_comch_server
#define doca_cc_client doca_comch_client
#define doca_cc_connection doca_comch_connection
#define doca_cc_send_task doca_comch_task_send
#define doca_cc_task_send doca_comch_task_send
#define doca_cc_event_msg_recv doca_comch_event_msg_recv
#define doca_cc_event_connection_status_changed doca_comch_event_connection_status_changed
#define doca_cc_event_consumer doca_comch_event_consumer
#define doca_cc_consumer doca_comch_consumer
#define doca_cc_consumer_post_recv_task doca_comch_consumer_task_post_recv
#define doca_cc_consumer_task_post_recv doca_comch_consumer_task_post_recv
#define doca_cc_producer doca_comch_producer
#define doca_cc_producer_send_task doca_comch_producer_task_send
#define doca_cc_producer_task_send doca_comch_producer_task_send

#include "doca_cc.h"
#include "doca_cc_consumer.h"
#include "doca_cc_producer.h"

#endif
