package io.github.comch4j.rpc;

import io.github.comch4j.internal.handover.HandOver;

/** Something that is to be sent, in one frame or in several. */
class Outgoing extends HandOver.Item<Outgoing> {
    static final byte[] EMPTY = new byte[0];

    final int kind;
    final int value;
    final long extra;
    final byte[] body;
    long id;
    int sent; // of the body
    boolean begun; // its first frame is in a message
    boolean large; // it goes over the fast path

    Outgoing(int kind, long id, int value, long extra, byte[] body) {
        this.kind = kind;
        this.id = id;
        this.value = value;
        this.extra = extra;
        this.body = body;
    }

    /** Whether nobody wants it any more. */
    boolean isObsolete() {
        return false;
    }

    /** Its last frame is in a message, or it was left out as obsolete. */
    void gone() {}
}
