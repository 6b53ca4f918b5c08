package io.github.comch4j.cli.copy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * What is to be copied of what is named.
 *
 * @param recursive folders, with all that is in them
 * @param update not what is there already with the same size and time
 * @param links links, as such
 */
public record CopyOptions(boolean recursive, boolean update, boolean links) {
    static CopyOptions read(DataInputStream in) throws IOException {
        return new CopyOptions(in.readBoolean(), in.readBoolean(), in.readBoolean());
    }

    public void write(DataOutputStream out) throws IOException {
        out.writeBoolean(recursive);
        out.writeBoolean(update);
        out.writeBoolean(links);
    }
}
