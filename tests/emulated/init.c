/* The only process of the emulated machine (tests/emulated.py): runs the program that the kernel's
   command line names after `--`, says on the serial console how it ended, and switches off. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void serial_console(void) {
    int serial;
    mount("devtmpfs", "/dev", "devtmpfs", 0, "");
    serial = open("/dev/ttyS0", O_RDWR);
    dup2(serial, 0);
    dup2(serial, 1);
    dup2(serial, 2);
}

static void run(char **argv) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execv(argv[0], argv);
        _exit(127);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status))
        printf("\nexit code %d\n", WEXITSTATUS(status));
    else
        printf("\nkilled by signal %d\n", WTERMSIG(status));
    fflush(stdout);
    tcdrain(1);
}

/* Bochs ends when it reads this word. */
static void switch_off(void) {
    const char *word = "Shutdown";
    iopl(3);
    while (*word)
        outb((unsigned char)*word++, 0x8900);
}

int main(int argc, char **argv) {
    serial_console();
    if (argc > 1) run(argv + 1);
    switch_off();
    for (;;)
        pause();
}
