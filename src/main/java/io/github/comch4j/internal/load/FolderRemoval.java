package io.github.comch4j.internal.load;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Of a folder with all in it, to which processes that are just ending may still write. */
public final class FolderRemoval extends SimpleFileVisitor<Path> {
    private static final int ATTEMPTS = 20;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private @Nullable IOException failure; // the last one

    private FolderRemoval() {}

    /** Returns why the folder, or something in it, is still there; null if it is not. */
    public static @Nullable IOException of(Path folder) {
        IOException failure = attempt(folder);
        for (int i = 1; i < ATTEMPTS && failure instanceof DirectoryNotEmptyException; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            failure = attempt(folder);
        }
        return failure;
    }

    private static @Nullable IOException attempt(Path folder) {
        FolderRemoval removal = new FolderRemoval();
        try {
            Files.walkFileTree(folder, removal);
        } catch (IOException e) {
            removal.failed(e);
        }
        return removal.failure;
    }

    private void failed(IOException e) {
        if (!(e instanceof NoSuchFileException)) { // somebody else has removed it
            failure = e;
        }
    }

    private FileVisitResult remove(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            failed(e);
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        return remove(file);
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
        failed(e);
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) {
        if (e != null) {
            failed(e);
        }
        return remove(folder);
    }
}
