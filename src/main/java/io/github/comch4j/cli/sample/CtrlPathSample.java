package io.github.comch4j.cli.sample;

import io.github.comch4j.cli.program.ProgramException;

/** A message of the client and the server's answer, over the control path. */
public final class CtrlPathSample extends SampleEnd {
    public CtrlPathSample(SampleOptions options) {
        super(options, "ctrl_path");
    }

    @Override
    void checkText() {
        if (options.text().length > endpoint.maxMessageSize()) {
            throw new ProgramException("messages have at most " + endpoint.maxMessageSize()
                    + " bytes here, the text has " + options.text().length);
        }
    }

    @Override
    void converse() {
        if (options.server()) {
            nextMessage();
            peer.send(options.text());
            mayLeave = true;
            patience.await("the answer to be sent", () -> endpoint.inFlight() == 0);
        } else {
            peer.send(options.text());
            nextMessage();
        }
    }
}
