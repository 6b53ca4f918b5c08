package samples.blockdevice;

import examples.BlockServer;
import java.nio.file.Files;

/** On the DPU: a block device of 64 MiB, which is a file here. */
public class Dpu {
    static final String NAME = "block-device";
    static final long SIZE = 64L << 20;

    public static void main(String[] args) throws Exception {
        String file = args.length > 0
                ? args[0]
                : Files.createTempFile("block-device", ".img").toString();
        System.out.println("its blocks are in " + file);
        BlockServer.main(new String[] {NAME, file, Long.toString(SIZE), "16"});
    }
}
